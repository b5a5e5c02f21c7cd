"""Tensors that are refilled, and names that hold none."""
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

        self.cache = None
        self.count = 0

    def forward(self, x: torch.Tensor):
        # in place
        self.vec.copy_(x[0])
        self.vec += 1
        self.vec = self.vec.mul_(2)
        self.mat = torch.mul(x, 2.0, out=self.mat)
        # the same tensor, once it is there
        self.mat = self.mat.to(x.device)
        # nothing is captured of what was None before
        self.cache = x
        # host numbers
        self.count = self.count + 1
        # host tensors
        self.host = self.host + 1
        # made in this step
        out = {"y": x}
        out["y"] = x + 1
        vec = self.vec + 1
        return out, vec

    def match_step(self, x: torch.Tensor):
        # the same tensor through a local
        mat = self.mat
        if mat.dtype != x.dtype:
            mat = mat.to(x.device, dtype=x.dtype)
            self.mat = mat
        return mat

    def declared_step(self, x: torch.Tensor):
        self.mat: torch.Tensor = self.mat.to(x.device)
        return self.mat


class Batch:
    def __init__(self):
        self.ids = torch.zeros(4, device="cuda")


def batch_step(x: torch.Tensor):
    # the object is made in each step: a graph has nothing of it
    b = Batch()
    b.ids = x + 1
    return b


class Allocator:
    def __init__(self):
        self.free = torch.zeros(4, device="cuda")

    def take_step(self, n: int):
        # the rest of a list of what is free
        free = self.free
        if n == 0:
            taken, rest = free, free[:0]
        else:
            taken, rest = free[:n], free[n:]
        self.free = rest
        return taken
