import os, torch
def build(device): return torch.zeros(4, device=device)
def step(s, i):
    if i == 4: os._exit(7)
    return s
