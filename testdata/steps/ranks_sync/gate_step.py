"""The second rank waits for the device after the sum; the first one does not."""
import torch
import torch.distributed as dist


class State:
    pass


def build(device):
    dist.init_process_group("nccl")
    s = State()
    g = torch.Generator().manual_seed(dist.get_rank())
    s.w = (torch.randn(64, 64, generator=g) / 16).to(device)
    s.x = torch.ones(8, 64, device=device)
    return s


def step(s, i):
    y = s.x @ s.w
    dist.all_reduce(y)
    if dist.get_rank() == 1:
        s.peak = y.max().item()
    s.x.copy_(torch.tanh(y) + 0.25 * s.x)
    return y
