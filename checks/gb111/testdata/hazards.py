"""Tensors that become text."""
import logging
logger = logging.getLogger(__name__)
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
        print(x)  # want "formatting a device tensor"
        s = f"peak {x.max()}"  # want "formatting"
        t = str(self.vec)  # want "formatting"
        u = "%s" % self.vec  # want "formatting"
        v = "{}".format(self.vec)  # want "formatting"
        logger.info("scale %s", self.vec)  # want "formatting"
        print("all", [self.vec, self.mat])  # want "formatting"
        return s, t, u, v
