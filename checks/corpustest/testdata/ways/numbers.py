"""A device tensor where torch takes a number (H): torch reads it, through __index__ or item()."""
import torch
import torch.nn.functional as F
from torch import nn


class Model(nn.Module):
    def __init__(self, device):
        super().__init__()
        self.register_buffer("lens", torch.zeros(8, dtype=torch.int32, device=device))

    def forward(self, x, i: int):
        n = self.lens.max()
        a = x.repeat(n, 1)  # H
        a = x.repeat(i, 1)
        a = x.tile(n)  # H
        a = torch.eye(n)  # H
        a = torch.linspace(0, 1, n)  # H
        a = x.split(n)  # H
        a = x.chunk(n)  # H
        a = F.one_hot(self.lens, n)  # H
        a = torch.randint(0, n, (3,), device="cuda")  # H
        a = torch.randperm(n)  # H
        a = F.pad(x, (0, n))  # H
        a = F.interpolate(x, size=n)  # H
        a = x.resize_(n)  # H
        a = x.new_zeros(n)  # H
        a = x.unflatten(0, (n, -1))  # H
        a = torch.tril(x, n)  # H
        a = torch.triu(x, diagonal=n)  # H
        a = torch.diagonal(x, n)  # H
        a = torch.kthvalue(x, n)  # H
        a = torch.bincount(self.lens, minlength=n)  # H
        a = F.layer_norm(x, (n,))  # H
        a = x.as_strided((n, 3), (1, 1))  # H
        a = x.unfold(0, n, 1)  # H
        a = x.reshape((n, -1))  # H
        a = x.expand(-1, n)  # H
        a = torch.softmax(x, dim=n)  # H
        a = x.sum(n)  # H
        a = x.transpose(0, n)  # H
        a = x.unsqueeze(n)  # H
        a = torch.roll(x, n, 0)  # H
        a = torch.roll(x, shifts=(n,), dims=(0,))  # H
        a = torch.rot90(x, n)  # H
        a = torch.argsort(x, dim=n)  # H
        a = F.dropout(x, n)  # H
        a = F.max_pool1d(x, n)  # H
        a = F.avg_pool1d(x, kernel_size=n)  # H
        a = torch.multinomial(x, n)  # H
        a = x.index_add_(0, self.lens, x, alpha=n)  # H
        a = torch.add(x, x, alpha=n)  # H
        a = torch.repeat_interleave(x, n)  # H
        a = torch.repeat_interleave(x, 3)
        a = torch.normal(0.0, n, (3,))  # H
        a = torch.empty((2, n))  # H
        a = torch.ones(n, 2)  # H
        a = torch.narrow(x, 0, 0, n)  # H
        a = x.movedim(0, n)  # H
        a = x.flatten(n)  # H
        a = x.squeeze(n)  # H
        a = x.cumsum(n)  # H
        a = torch.logsumexp(x, n)  # H
        a = x.gather(n, x)  # H
        a = torch.stack([x, x], n)  # H
        a = torch.cat([x, x], dim=n)  # H
        a = x[..., :n]  # H
        a = x[n:]  # H
        a = x[:, n : n + 4]  # H
        a = x[n]  # H
        a = x[self.lens]
        a = torch.quantile(x, n)
        a = x.uniform_(0, n)  # H
        a = x.normal_(0, n)  # H
        a = x.bernoulli_(n)
        a = x.clamp_(n)
        a = x.lerp_(x, n)
        a = x.div_(n)
        a = torch.addcmul(x, x, x, value=n)  # H
        a = torch.baddbmm(x, x, x, beta=n)  # H
        a = x.addmm(x, x, alpha=n)  # H
        a = F.scaled_dot_product_attention(x, x, x, scale=n)  # H
        a = F.softplus(x, n)  # H
        a = F.leaky_relu(x, n)  # H
        a = F.rms_norm(x, (64,), eps=n)  # H
        a = torch.cuda.Event().record()
        a = torch.sort(x)[0][:4]
        a = x.topk(4)
        a = x.unbind(0)[n]  # H
        a = (x, x)[n]  # H
        a = {0: x}.get(n)
        a = x.storage()
        a = x.untyped_storage().data_ptr()
        a = hash(n)
        a = id(n)
        a = repr(n)  # H
        a = n.numpy()
        a = n.__index__()  # H
        a = n.to(torch.int64).tolist()  # H
        a = x.cpu().numpy()  # H
        a = x.detach().to("cpu")  # H
        a = x.to(device="cpu")  # H
        a = torch.Tensor.item(n)  # H
        a = torch.Tensor.cpu(n)  # H
        a = getattr(n, "item")()  # H
        return a


def build(device):
    return {"m": Model(device), "x": torch.zeros(8, 64, device=device)}


def step(state, i):
    return state["m"](state["x"], i)
