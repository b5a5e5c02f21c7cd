"""Where tensors live."""
import math
import os
import time
import numpy as np
import torch
import torch.nn.functional as F
from torch import nn
from types import SimpleNamespace as NS

TABLE = torch.zeros(4)
LIMIT = 8


def sources_step(x: torch.Tensor, n: int, seq_lens_cpu: torch.Tensor, device, thing):
    reveal(x)  # is "device tensor (likely)"
    reveal(n)  # is "number"
    reveal(seq_lens_cpu)  # is "CPU tensor (pageable), int (possible)"
    reveal(x + seq_lens_cpu)  # is "device tensor (possible)"
    reveal(device)  # is "the device"
    reveal(thing)  # is "unknown"
    reveal(TABLE)  # is "CPU tensor (pageable), 1-d, float (likely)"
    reveal(LIMIT)  # is "number 8"
    reveal(torch.zeros(4, 8))  # is "CPU tensor (pageable), 2-d, float (likely)"
    reveal(torch.zeros((4, 8), device=device))  # is "device tensor, 2-d, float (likely)"
    reveal(torch.zeros(4, device="cpu"))  # is "CPU tensor (pageable), 1-d, float (likely)"
    reveal(torch.empty(4, pin_memory=True))  # is "pinned CPU tensor, 1-d, float (likely)"
    reveal(torch.tensor([1, 2]))  # is "CPU tensor (pageable), 1-d, int (likely)"
    reveal(torch.tensor(3.0, device=x.device))  # is "device tensor, 0-d, float (likely)"
    reveal(torch.arange(n, device=device))  # is "device tensor, 1-d, int (likely)"
    reveal(torch.from_numpy(np.zeros(3)))  # is "CPU tensor (pageable), 1-d (likely)"
    reveal(x.new_zeros(3, 4))  # is "device tensor, 2-d (likely)"
    reveal(torch.zeros_like(x))  # is "device tensor (likely)"
    reveal(np.zeros(3))  # is "NumPy array"
    reveal(time.time())  # is "number"
    reveal(os.environ.get("A"))  # is "host value"
    reveal(math.sqrt(2.0))  # is "number"


def moves_step(x: torch.Tensor, other: torch.Tensor, config=None):
    reveal(x.cpu())  # is "CPU tensor (pageable) (likely)"
    reveal(x.to("cpu"))  # is "CPU tensor (pageable) (likely)"
    reveal(x.to("cpu", non_blocking=True))  # is "pinned CPU tensor (likely)"
    reveal(x.to(torch.int64))  # is "device tensor, int (likely)"
    reveal(x.to(other))  # is "device tensor (likely)"
    reveal(x.to(other.device, torch.bool))  # is "device tensor, bool (likely)"
    reveal(x.cpu().cuda())  # is "device tensor (likely)"
    reveal(x.cpu().pin_memory())  # is "pinned CPU tensor (likely)"
    reveal(x.type(torch.LongTensor))  # is "CPU tensor (pageable), int (likely)"
    reveal(x.cpu().numpy())  # is "NumPy array"
    reveal(x.tolist())  # is "list"
    reveal(x.item())  # is "number"
    reveal(x.long())  # is "device tensor, int (likely)"
    reveal(x.data)  # is "device tensor (likely)"
    reveal(x.cpu().to(device=config.device_of(x)))  # is "tensor of unknown place (possible)"
    reveal(x.cpu().to(config.what))  # is "tensor of unknown place (possible)"


def metadata_step(x: torch.Tensor):
    reveal(x.shape)  # is "shape"
    reveal(x.shape[0])  # is "number"
    reveal(x.size(0))  # is "shape"
    reveal(x.numel())  # is "number"
    reveal(x.dtype)  # is "dtype"
    reveal(x.device)  # is "the device"
    reveal(len(x))  # is "number"
    rows, cols = x.shape
    reveal(rows)  # is "number"
    reveal(x.is_cuda)  # is "number"
    reveal(x.dim())  # is "number"


def operations_step(x: torch.Tensor, h: torch.Tensor):
    reveal(x + 1)  # is "device tensor (likely)"
    reveal(x > 0)  # is "device tensor, bool (likely)"
    reveal(~(x > 0) & (h < 1))  # is "device tensor, bool (likely)"
    reveal(torch.tensor(2.0) * x)  # is "device tensor, float (likely)"
    reveal(x.sum())  # is "device tensor, 0-d (likely)"
    reveal(x.argmax(-1))  # is "device tensor, int (likely)"
    reveal(x.max(dim=0))  # is "tuple"
    reveal(x.max(dim=0).indices)  # is "device tensor, int (likely)"
    values, ids = x.topk(4)
    reveal(ids)  # is "device tensor, int (likely)"
    reveal(F.softmax(x, dim=-1))  # is "device tensor, float (likely)"
    reveal(torch.where(x > 0, x, h))  # is "device tensor (likely)"
    reveal(torch.cat([x, h]))  # is "device tensor (likely)"
    reveal(x.any())  # is "device tensor, 0-d, bool (likely)"
    reveal(x.split(2))  # is "list"
    reveal(x.split(2)[0])  # is "device tensor (likely)"
    reveal(x.expand(4, 8))  # is "device tensor, 2-d (likely)"
    total = 0
    for row in x:
        total = total + row
    reveal(total)  # is "device tensor (likely)"


def ranks_step(n: int):
    m = torch.zeros(4, 8, device="cuda")
    reveal(m[0])  # is "device tensor, 1-d, float (likely)"
    reveal(m[0, 1])  # is "device tensor, 0-d, float (likely)"
    reveal(m[:, None])  # is "device tensor, 3-d, float (likely)"
    reveal(m[1:3])  # is "device tensor, 2-d, float (likely)"
    reveal(m[m > 0])  # is "device tensor, 1-d, float (likely)"
    reveal(m[[0, 1]])  # is "device tensor, 2-d, float (likely)"
    reveal(m.unsqueeze(0))  # is "device tensor, 3-d, float (likely)"
    reveal(m.sum(-1))  # is "device tensor, 1-d, float (likely)"
    reveal(m.sum(-1, keepdim=True))  # is "device tensor, 2-d, float (likely)"
    reveal(m.view(2, 2, 8))  # is "device tensor, 3-d, float (likely)"
    reveal(m @ m)  # is "device tensor, 2-d, float (likely)"
    reveal(torch.stack([m, m]))  # is "device tensor, 3-d, float (likely)"


def branches_step(x: torch.Tensor, flag, maybe: torch.Tensor | None = None):
    y = x
    if flag:
        y = x.cpu()
    reveal(y)  # is "device tensor (possible)"
    if maybe is None:
        maybe = x
    reveal(maybe)  # is "device tensor (likely)"
    if isinstance(flag, torch.Tensor):
        reveal(flag)  # is "tensor of unknown place (possible)"
    z = None
    while n_left() > 0:
        z = x
    reveal(z)  # is "device tensor (likely) or None"
    w = None
    if flag > 1:
        if flag > 2:
            w = x
        elif flag > 3:
            w = x.cpu()
        else:
            raise ValueError(flag)
    else:
        w = 1.5
    reveal(w)  # is "device tensor (possible)"


def declared_step(x: torch.Tensor, scale: float = None):
    if scale is None:
        reveal(x)  # is "device tensor (likely)"
    reveal(scale)  # is "number or None"
