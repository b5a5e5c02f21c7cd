"""Blocking copies to the device."""
import torch


class Layer(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.randn(8, 8))
        self.register_buffer("table", torch.zeros(64, 8))
        self.vec = torch.zeros(8, device="cuda")
        self.mat = torch.zeros(8, 8, device="cuda")
        self.idx = torch.zeros(4, dtype=torch.int64, device="cuda")
        self.pos = torch.zeros((), dtype=torch.int64, device="cuda")
        self.mask = torch.ones(8, dtype=torch.bool, device="cuda")
        self.host = torch.zeros(8, 8)
        self.pinned = torch.zeros(8, 8, pin_memory=True)
        self.limit = 16
        self.ids = [1, 5, 7]

    def forward(self, x: torch.Tensor):
        a = self.host.to("cuda")  # want "copies to the device"
        b = self.host.cuda()  # want "copies to the device"
        cols = torch.arange(x.shape[-1])
        c = cols.to(x.device)  # want "copies to the device"
        self.mat.copy_(self.host)  # want "copies to the device"
        self.mat[:] = self.host  # want "writing a CPU tensor"
        # outside the captured part a pinned copy is short: info
        self.mat.copy_(self.pinned)  # want "pinned memory without non_blocking"
        return a, b, c
