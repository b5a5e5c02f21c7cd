import torch
def build(device): return torch.empty(1 << 40, device=device)
def step(s, i): return s
