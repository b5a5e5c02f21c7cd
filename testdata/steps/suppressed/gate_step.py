import torch


def build(device):
    return torch.ones(4, device=device)


def step(state, i):
    torch.cuda.synchronize()  # gatebot: allow[GB106] measured on purpose
    return state + 1
