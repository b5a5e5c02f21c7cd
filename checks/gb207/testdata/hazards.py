"""Device tensors as sizes and numbers."""
import torch
import triton
import triton.language as tl


@triton.jit
def kernel(x, n, BLOCK: tl.constexpr):
    tl.store(x + tl.program_id(0), n)


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
        n = self.idx.max()
        a = torch.zeros(n, device="cuda")  # want "`n` is a device tensor"
        b = torch.arange(n, device="cuda")  # want "device tensor where a number"
        c = x.view(n, -1)  # want "device tensor where a number"
        d = self.vec.expand(n, 8)  # want "device tensor where a number"
        e = x.narrow(0, self.pos, 2)  # want "`self.pos` is a device tensor"
        f = torch.full((4,), n, device="cuda")  # want "device tensor where a number"
        g = torch.zeros((n, 8), device="cuda")  # want "device tensor where a number"
        h = self.vec.index_fill_(0, self.idx, self.vec[0])  # want "device tensor where a number"
        i = x.new_zeros(n, 8)  # want "device tensor where a number"
        torch.roll(*[x], shifts=n)  # want "`n` is a device tensor"
        kernel[(n,)](x, 1, BLOCK=4)  # want "a device tensor where a number"
        kernel[lambda meta: (n, meta["BLOCK"])](x, 1, BLOCK=4)  # want "a device tensor where a number"
        kernel[(x.shape[0],)](x, n, BLOCK=4)
        kernel[lambda meta: (triton.cdiv(x.numel(), meta["BLOCK"]),)](x, n, BLOCK=4)
        return a, b, c, d, e, f, g, h, i

    def decode(self, x: torch.Tensor, scale: torch.Tensor):
        n = self.idx.max()
        a = torch.roll(x, n, 0)  # want "`n` is a device tensor"
        b = x.tril(n)  # want "device tensor where a number"
        c = torch.nn.functional.pad(x, (0, n))  # want "a device tensor where a number"
        d = torch.nn.functional.dropout(x, p=self.pos)  # want "device tensor where a number"
        e = torch.add(x, self.mat, alpha=self.pos)  # want "`self.pos` is a device tensor"
        f = torch.softmax(x, dim=n)  # want "device tensor where a number"
        g = x.permute(0, n)  # want "device tensor where a number"
        h = torch.nn.functional.scaled_dot_product_attention(x, x, x, scale=self.pos)  # want "device tensor where a number"
        i = torch.nn.functional.layer_norm(x, (n,), self.vec)  # want "a device tensor where a number"
        return a, b, c, d, e, f, g, h, i
