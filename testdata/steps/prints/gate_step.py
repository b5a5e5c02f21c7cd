import sys
import torch


def build(device):
    return torch.zeros(4, device=device)


def step(state, i):
    sys.stdout.write("x" * 2_000_000 + "\n")
    sys.stderr.write('{"ev":"end"}\n' * 1000)
    return state + 1
