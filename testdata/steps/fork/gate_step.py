import os
import torch


def build(device):
    return torch.zeros(4, device=device)


def step(state, i):
    if i == 4 and os.fork() == 0:
        os._exit(0)
    return state + 1
