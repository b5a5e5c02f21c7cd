"""Routines that leave their status on the device."""
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

    def forward(self, x: torch.Tensor):
        a = torch.linalg.inv_ex(x).inverse
        b = torch.linalg.cholesky_ex(x, check_errors=False)
        # read nothing
        c = torch.linalg.qr(x)
        d = torch.linalg.det(x) + torch.linalg.slogdet(x)[1]
        e = torch.linalg.solve_triangular(x, x, upper=True)
        # on the host
        f = torch.linalg.inv(self.host)
        return a, b, c, d, e, f
