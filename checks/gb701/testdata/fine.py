"""Numbers that stay, and numbers that are in a tensor."""
import torch


class Attention(torch.nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.register_buffer("freqs", torch.zeros(8))
        self.pos_buf = torch.zeros(1, device="cuda")
        self.scale = 0.5
        self.cfg = cfg

    def prepare(self, start_pos: int):
        self.pos_buf.fill_(start_pos)  # how the number gets into a tensor

    def forward(self, x: torch.Tensor, start_pos: int, positions: torch.Tensor):
        x = x * self.scale + self.cfg.offset  # constants
        x = x * x.shape[0] / x.size(-1)  # one graph per shape
        if start_pos % 128 == 0:  # the scheduler picks the graph by it
            x = x * 2
        step = 3
        x = x + step  # a constant, whatever its name
        x = x + positions * self.freqs + self.pos_buf
        label = "at %d" % start_pos
        host = start_pos * 2 + 1
        return x, label, host

    def forward_tensor_pos(self, x: torch.Tensor, pos: torch.Tensor, i: int):
        for i in range(4):
            x = x + i  # counts the turns of this loop
        return x + pos
