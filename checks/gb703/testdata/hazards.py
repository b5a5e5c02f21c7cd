"""Tensors that are replaced."""
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
        self.vec = self.vec + 1  # want "gets a new tensor in the step"
        self.mat = x  # want "gets a new tensor in the step"
        return x


def build(device):
    return {"meta": {"lens": torch.tensor([3, 7]).to(device)}, "x": torch.zeros(2).to(device)}


def advance(meta):
    meta["lens"] = meta["lens"] + 1  # want "gets a new tensor in the step"


def step(state, i):
    advance(state["meta"])
    return state["x"] + state["meta"]["lens"]


class Grows(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.mat = torch.zeros(8, 8, device="cuda")

    def forward(self, x: torch.Tensor):
        mat = self.mat
        mat = torch.cat([mat, x])
        self.mat = mat  # want "gets a new tensor"
        return mat
