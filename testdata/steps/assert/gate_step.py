import torch
def build(device): return torch.arange(4, device=device)
def step(s, i):
    return s[s + i]  # gatebot: allow[GB701] the index is to leave the tensor
