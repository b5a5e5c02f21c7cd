"""Outputs that come and go."""
import torch


class Compressor(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = torch.nn.Linear(8, 8)

    def forward(self, x: torch.Tensor, start_pos: int):
        if (start_pos + 1) % 4 != 0:  # want "no output on steps where"
            return None
        return self.lin(x)

    def forward_window(self, x: torch.Tensor, pos: int):
        if pos >= 128:  # want "no output on steps where"
            return
        return self.lin(x)
