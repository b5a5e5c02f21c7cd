"""Outputs of one form."""
import torch


class Compressor(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = torch.nn.Linear(8, 8)
        self.proj = None

    def forward(self, x: torch.Tensor, start_pos: int, mask=None):
        if mask is None:
            return None
        if x.shape[0] == 0:
            return None
        if start_pos % 4 == 0:
            return x
        return self.lin(x)

    def decode_label(self, start_pos: int):
        if start_pos == 0:
            return None
        return "later"
