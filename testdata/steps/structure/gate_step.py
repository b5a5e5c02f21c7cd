import torch


def build(device):
    return torch.zeros(4, device=device)


def step(state, i):
    return (state, state) if i == 5 else state
