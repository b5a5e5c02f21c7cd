"""Values that flow through objects, containers and calls."""
from collections import namedtuple
from dataclasses import dataclass
from functools import partial
from types import SimpleNamespace
from typing import NamedTuple, Optional

import torch
from torch import nn


@dataclass
class Meta:
    lens: torch.Tensor
    lens_cpu: torch.Tensor
    count: int = 0
    scale: Optional[torch.Tensor] = None


class Pair(NamedTuple):
    ids: torch.Tensor
    size: int


class Base(nn.Module):
    def __init__(self, dim: int):
        super().__init__()
        self.dim = dim
        self.register_buffer("table", torch.zeros(8, dim))
        self.inner = nn.Linear(dim, dim)

    def helper(self, x):
        return x.sum()

    @property
    def first(self):
        return self.table[0]


class Layer(Base):
    def __init__(self, dim: int):
        super().__init__(dim)
        self.weight = nn.Parameter(torch.empty(dim, dim))
        self.host = torch.zeros(4)
        self.lazy = None
        self.items = [torch.zeros(2, device="cuda"), 3]
        self.layers = nn.ModuleList([Base(4) for _ in range(2)])
        self.table_of = {"sum": self.helper, "n": 4}

    def fill(self):
        self.lazy = torch.ones(4, device="cuda")

    def forward(self, x, meta: Meta, pair: Pair):
        reveal(self.weight)  # is "device tensor, 2-d, float (likely)"
        reveal(self.table)  # is "device tensor, 2-d, float (likely)"
        reveal(self.host)  # is "CPU tensor (pageable), 1-d, float (likely)"
        reveal(self.dim)  # is "number"
        reveal(self.lazy)  # is "device tensor, 1-d, float (likely) or None"
        reveal(self.items[0])  # is "device tensor, 1-d, float (likely)"
        reveal(self.items[1])  # is "number 3"
        reveal(self.first)  # is "device tensor, 1-d, float (likely)"
        reveal(self.inner(x))  # is "device tensor, float (likely)"
        reveal(self.inner.weight)  # is "device tensor, float (likely)"
        reveal(self.helper(x.view(4)))  # is "device tensor, 0-d (likely)"
        reveal(self.table_of["sum"](self.weight))  # is "device tensor, 0-d, float (likely)"
        reveal(meta.lens)  # is "device tensor (likely)"
        reveal(meta.lens_cpu)  # is "CPU tensor (pageable) (possible)"
        reveal(meta.count)  # is "number"
        reveal(pair.size)  # is "number"
        for layer in self.layers:
            reveal(layer.table)  # is "device tensor, 2-d, float (likely)"
        mine = Meta(lens=x.long(), lens_cpu=torch.zeros(2), count=3)
        reveal(mine.lens)  # is "device tensor, int (likely)"
        reveal(mine.lens_cpu)  # is "CPU tensor (pageable), 1-d, float (likely)"
        reveal(mine.count)  # is "number 3"
        return x


class Shelf:
    def __init__(self, weights):
        self.weights = weights

    def item(self, k=0):
        return self.weights[k]

    def cpu(self):
        return self


def double(t, by=2):
    return t * by


def both(t):
    return t, t.shape[0]


def rows(t):
    for i in range(4):
        yield t[i]


def containers_step(x: torch.Tensor):
    ns = SimpleNamespace(a=x, b=3, c=x.cpu())
    reveal(ns.a)  # is "device tensor (likely)"
    reveal(ns.b)  # is "number 3"
    reveal(ns.c)  # is "CPU tensor (pageable) (likely)"
    d = {"a": x, "n": 4, "deep": {"t": x.bool()}}
    reveal(d["a"])  # is "device tensor (likely)"
    reveal(d["deep"]["t"])  # is "device tensor, bool (likely)"
    d["a"] = x.cpu()
    reveal(d["a"])  # is "CPU tensor (pageable) (likely)"
    reveal([t for t in [x, x]])  # is "list"
    reveal([t.cpu() for t in x.split(2)][0])  # is "CPU tensor (pageable) (likely)"
    acc = []
    for t in x.split(2):
        acc.append(t)
    reveal(torch.cat(acc))  # is "device tensor (likely)"
    for i, t in enumerate(x.unbind(0)):
        reveal(i)  # is "number"
        reveal(t)  # is "device tensor (likely)"
    for a, b in zip([x], [3]):
        reveal(a)  # is "device tensor (likely)"
        reveal(b)  # is "number 3"


def calls_step(x: torch.Tensor):
    reveal(double(x))  # is "device tensor (likely)"
    reveal(double(3))  # is "number 6"
    y, n = both(x)
    reveal(y)  # is "device tensor (likely)"
    reveal(n)  # is "number"
    f = lambda t: t.cpu()
    reveal(f(x))  # is "CPU tensor (pageable) (likely)"
    g = partial(double, by=x)
    reveal(g(2))  # is "device tensor (likely)"
    reveal(list(map(double, [x]))[0])  # is "device tensor (likely)"
    for r in rows(x):
        reveal(r)  # is "device tensor (likely)"
    shelf = Shelf([x, x])
    reveal(shelf.item(0))  # is "device tensor (likely)"
    reveal(shelf.cpu())  # is "object of class Shelf"
    reveal(getattr(x, "shape"))  # is "shape"
    reveal(torch.Tensor.sum(x))  # is "device tensor, 0-d (likely)"
    reveal(torch.cuda.Stream())  # is "stream"
    reveal(torch.cuda.Event())  # is "event"
    args = (x, 2)
    reveal(double(*args))  # is "device tensor (likely)"
    kw = {"by": x}
    reveal(double(2, **kw))  # is "device tensor (likely)"


class MultiModalFieldConfig:
    """Fields that stay on the host when a batch is moved, as vLLM declares them."""


def fields(n):
    return dict(
        image_grid_thw=MultiModalFieldConfig.batched("image", keep_on_cpu=True),
        **{"video_grid_thw": MultiModalFieldConfig.batched("video", keep_on_cpu=True)},
        **several({}),
        pixels=MultiModalFieldConfig.flat_from_sizes("image", sizes(n)),
    )


def several(out):
    for key in ("image_counts", "image_spans"):
        out[key] = MultiModalFieldConfig.batched("image", keep_on_cpu=True)
    return out


@dataclass
class ImageInputs:
    image_grid_thw: torch.Tensor
    pixels: torch.Tensor
    lens: torch.Tensor  # CPU tensor
    slots: torch.Tensor  # on the device, not on the CPU


def images_step(batch: dict, image: ImageInputs, grid_thw: torch.Tensor, pixels: torch.Tensor):
    reveal(batch["image_grid_thw"])  # is "CPU tensor (pageable) (likely)"
    reveal(batch["video_grid_thw"])  # is "CPU tensor (pageable) (likely)"
    reveal(batch["image_spans"])  # is "CPU tensor (pageable) (likely)"
    reveal(image.image_grid_thw)  # is "CPU tensor (pageable) (likely)"
    reveal(image["image_grid_thw"])  # is "CPU tensor (pageable) (likely)"
    reveal(image.pixels)  # is "device tensor (likely)"
    reveal(image.lens)  # is "CPU tensor (pageable) (likely)"
    reveal(image.slots)  # is "device tensor (likely)"
    reveal(grid_thw)  # is "CPU tensor (pageable) (likely)"
    reveal(pixels)  # is "device tensor (likely)"


class Buffers:
    def __init__(self):
        self.cpu = torch.zeros(4)
        self.gpu = torch.zeros(4)


def declared_step(x: torch.Tensor, pair: Buffers):
    reveal(pair.cpu)  # is "CPU tensor (pageable), 1-d, float (likely)"
    reveal(pair.gpu)  # is "device tensor, 1-d, float (possible)"
    counted(x, [(1, 2)], x)
    lengths(x)


def counted(n: int, grid: list[tuple[int, int]], rows: list):
    reveal(n)  # is "device tensor (possible)"
    reveal(grid)  # is "list"
    reveal(rows)  # is "device tensor (likely)"


def bounded_step(seq_lens_cpu_upper_bound: torch.Tensor):
    reveal(seq_lens_cpu_upper_bound)  # is "CPU tensor (pageable), int (possible)"


def lengths(seq_lens_cpu):
    reveal(seq_lens_cpu)  # is "CPU tensor (pageable) (possible)"


class Tower(torch.nn.Module):
    def forward(self, x: torch.Tensor, video_grid_thw: torch.Tensor, tgt_sizes: torch.Tensor):
        reveal(x)  # is "device tensor (likely)"
        reveal(tgt_sizes)  # is "device tensor (possible)"
        reveal(video_grid_thw)  # is "CPU tensor (pageable) (likely)"
