"""Branches on what the host knows."""
import numpy as np
import torch


class Layer(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.randn(8, 8))
        self.register_buffer("table", torch.zeros(64, 8))
        self.vec = torch.zeros(8, device="cuda")
        self.mat = torch.zeros(8, 8, device="cuda")
        self.idx = torch.zeros(4, dtype=torch.int64, device="cuda")
        self.pos = torch.zeros((), dtype=torch.int64, device="cuda")
        self.mask = torch.ones(8, dtype=torch.bool, device="cuda")
        self.host = torch.zeros(8, 8)
        self.pinned = torch.zeros(8, 8, pin_memory=True)
        self.limit = 16
        self.ids = [1, 5, 7]

    def forward(self, x: torch.Tensor, step: int, bias=None, mode: str = "fast"):
        # shapes, dtypes, devices, strides
        if x.shape[0] > 1 or x.dtype == torch.bfloat16 or x.is_cuda or x.device.type == "cuda":
            x = x + 1
        if x.numel() % 2 == 0 and x.dim() == 2 and x.stride(0) == 8 and x.is_contiguous() and len(x) > 1:
            x = x * 2
        # steps, configuration, strings
        if step % 4 == 0 and self.limit > 8 and mode == "fast" and self.training:
            x = x - 1
        # identity and type
        if bias is not None:
            x = x + bias
        if isinstance(x, torch.Tensor) and hasattr(self, "vec") and self.vec is x:
            x = x * 3
        # host tensors and arrays
        if self.host.sum() > 0 and np.arange(3).max() == 2:
            x = x * 4
        # lists
        if self.ids and 5 in self.ids:
            x = x * 5
        y = x if step > 3 else -x
        # selected on the device
        z = torch.where(x.max() > 1.0, x / 2, x)
        if torch.cuda.is_available() and torch.is_tensor(x):
            z = z + 1
        return y, z
