"""Checks of metadata, and on the device."""
DEBUG = False
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

    def forward(self, x: torch.Tensor, n: int):
        assert x.shape == self.mat.shape
        assert x.is_cuda and x.dtype == torch.float32, f"{x.dtype}"
        assert n > 0
        # on the device
        torch._assert_async((x >= 0).all())
        if x.dim() != 2:
            raise ValueError("rank")
        # on the host
        assert (self.host >= 0).all()
        if DEBUG:
            assert not x.isnan().any()  # suppressed "the assertion on"
        # a branch that does not raise: GB401
        if x.isinf().any():
            x = x + 1
        return x
