"""A tensor-parallel step whose scratch buffer is read as far as it was written."""
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
    s.buf = torch.zeros(1024, device=device)
    return s


def step(s, i):
    y = s.x @ s.w
    s.buf[:512].copy_(y.flatten())
    z = s.buf[:512].view(8, 64).amax(0)
    dist.all_reduce(y)
    s.x.copy_(torch.tanh(y) + 0.25 * s.x)
    return y + z
