"""Sizes of the host, and device operands that are not read."""
import re

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
        self.strip = re.compile("a")

    def forward(self, x: torch.Tensor, n: int):
        # shapes
        a = torch.zeros(x.shape[0], x.size(-1), device="cuda")
        b = x.view(x.numel() // 8, -1).expand(4, -1, -1)
        c = torch.arange(len(x), device="cuda")
        d = torch.full((n,), 0.5, device="cuda")
        # operands of arithmetic stay on the device
        e = x ** self.vec
        f = torch.lerp(x, self.mat, self.vec)
        g = self.vec.fill_(self.pos)
        h = x.clamp(self.vec, self.vec + 1)
        # a number is fine
        i = self.vec.index_fill_(0, self.idx, 0.0)
        # a CPU tensor is read without a wait
        j = torch.zeros(int(self.host.sum()), device="cuda")
        # k is a number
        k = torch.topk(x, 4).values
        # shaped like another tensor
        m = x.view_as(self.mat).expand_as(self.mat)
        # tensors among the arguments, none of them where a number is expected
        o = torch.nn.functional.layer_norm(x, (8,), self.vec, self.vec)
        p = torch.where(self.mask, self.pos, x).masked_fill(self.mask, 0.0).sub(self.pos)
        q = torch.nn.functional.scaled_dot_product_attention(x, x, x, self.mat, scale=0.1)
        # a number whose tensor lives on the CPU
        r = torch.roll(x, self.host.sum().long(), 0)
        # no tensor, whatever its methods are called
        s = self.strip.sub("", self.text(x))
        return a, b, c, d, e, f, g, h, i, j, k, m, o, p, q, r, s

    def text(self, x):
        return f"{x.shape}"
