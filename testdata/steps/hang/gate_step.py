import time
import torch


def build(device):
    return torch.zeros(4, device=device)


def step(state, i):
    if i == 5:
        time.sleep(3600)
    return state
