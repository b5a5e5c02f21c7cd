import torch


class Part:
    def __init__(self, device, bad):
        self.w, self.bad = torch.ones(8, device=device), bad

    def run(self, x):
        if self.bad:
            x = x * x.max().item()
        return x * self.w


class State:
    def __init__(self, device):
        self.parts = [Part(device, k in (1, 3)) for k in range(5)]
        self.x = torch.ones(8, device=device)


def build(device):
    return State(device)


def step(state, i):
    x = state.x
    for p in state.parts:
        x = p.run(x)
    return x
