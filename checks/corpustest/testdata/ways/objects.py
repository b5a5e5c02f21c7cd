"""Values on their way through classes, closures, tuples with names and methods that no statement names."""
from __future__ import annotations

import contextlib
import functools
import typing as tp
from collections import defaultdict, namedtuple
from dataclasses import dataclass, field
from enum import Enum

import torch as th
from torch import Tensor as T, nn
from torch.nn import functional as F

GLOBAL = th.zeros(4, device="cuda")
Out = namedtuple("Out", "logits done")


class Mode(Enum):
    A = 1
    B = 2


class Tup(tp.NamedTuple):
    lens: T
    n: int


@dataclass
class Ctx:
    lens: T
    block: T | None = None
    n: int = 0
    extra: dict[str, T] = field(default_factory=dict)

    def total(self):
        return self.lens.sum()

    @property
    def has(self) -> bool:
        return bool(self.lens.any())  # H

    @functools.cached_property
    def host_n(self) -> int:
        return self.n * 2


def deco(f):
    @functools.wraps(f)
    def inner(*args, **kwargs):
        return f(*args, **kwargs)
    return inner


def gen(t):
    for v in t:
        if v > 0:  # H
            yield v


@contextlib.contextmanager
def maybe(t):
    if t.max() > 0:  # H
        pass
    yield


class Base(nn.Module):
    def __init__(self, device):
        super().__init__()
        self.scale = nn.Parameter(th.ones(1, device=device))
        self.register_buffer("steps", th.zeros((), dtype=th.int32, device=device), persistent=False)
        self.k = 4
        self.mode = Mode.A
        self.handlers = {"a": self.on_a, "b": self.on_b}
        self.ops = [self.on_a, self.on_b]

    def on_a(self, x):
        return x.sum().item()  # H

    def on_b(self, x):
        if x.mean() > 0:  # H
            return x
        return -x

    def check(self, t):
        raise NotImplementedError

    def forward(self, x, ctx):
        return self.run(x, ctx)

    def run(self, x, ctx):
        if self.check(x):  # H
            return x
        return x * 2


class Child(Base):
    def check(self, t):
        return (t > 0).all()

    def run(self, x, ctx):
        y = super().run(x, ctx)
        if self.check(y):  # H
            y = y + 1
        return y


class Wrapper:
    def __init__(self, t):
        self.t = t

    def __bool__(self):
        return bool(self.t.any())  # H

    def __len__(self):
        return int(self.t.sum())  # H

    def __getitem__(self, i):
        return self.t[i]

    def __iter__(self):
        yield from self.t

    def __call__(self, x):
        return x[: self.t[0]]  # H

    def __enter__(self):
        self.t.cpu()  # H
        return self

    def __exit__(self, *a):
        pass


class Model(nn.Module):
    def __init__(self, device):
        super().__init__()
        self.base = Base(device)
        self.child = Child(device)
        self.lens = th.zeros(8, dtype=th.int32, device=device)
        self.host = [1, 2, 3]
        self.wrap = Wrapper(self.lens)
        self.by = defaultdict(list)
        self.cfg = {"n": 4, "flag": True}
        self.cb: tp.Callable = lambda t: t.tolist()  # H
        self.seq = nn.Sequential(Base(device), Child(device))
        self.table = {"w": th.zeros(4, device=device), "n": 3}
        self.opt = None
        self.late = None

    def setup(self):
        self.late = th.zeros(3, device="cuda")

    @deco
    def deco_m(self, t):
        return t.item()  # H

    @staticmethod
    def stat(t):
        return float(t)  # H

    @classmethod
    def cls(cls, t):
        return cls.stat(t)

    def star(self, *args, **kw):
        if args[0]:  # H
            pass
        if kw["flag"]:  # H
            pass
        return args

    def forward(self, x: T, ctx: Ctx, i: int, tup: Tup):
        a = ctx.total().item()  # H
        if ctx.has:
            x = x + 1
        if ctx.host_n > 3 and ctx.n:
            x = x + 1
        self.deco_m(x.sum())
        self.stat(x.sum())
        self.cls(x.sum())
        self.star(x.any(), flag=x.any())
        for v in gen(x):
            x = x + v
        with maybe(x):
            pass
        y = self.base.handlers["a"](x)
        z = [op(x) for op in self.base.ops]
        x = self.child(x, ctx)
        if self.wrap:
            x = x + 1
        n = len(self.wrap)
        x = self.wrap(x)
        with self.wrap:
            pass
        self.cb(x)
        if GLOBAL[0]:  # H
            x = x + 1
        if tup.lens[0] > 0:  # H
            x = x + 1
        if tup.n > 3:
            x = x + 1
        lens, n = tup
        if lens.max():  # H
            x = x + 1
        if tup[0].any():  # H
            x = x + 1
        if tup[1] > 2 or min(range(3), key=lambda j: j) > 3:
            x = x + 1
        if n:
            x = x + 1
        o = Out(x, x.any())
        if o.done:  # H
            x = x + 1
        if self.table["w"].sum():  # H
            x = x + 1
        if self.table["n"] > 2 and self.cfg["flag"]:
            x = x + 1
        if self.late is not None and self.late[0] > 1:  # H
            x = x + 1
        if self.base.mode is Mode.A or self.base.k > 3:
            x = x + 1
        t = {**self.table, "q": x.sum()}
        if t["q"] > 0:  # H
            x = x + 1
        first, *rest = x
        if rest[0].sum() > 1:
            x = x + 1
        if (m := x.max()) > 0:  # H
            x = x + m
        w = x.max() if i > 3 else 0
        if w:  # H
            x = x + 1
        b = i > 3
        b |= False
        if b:
            x = x + 1
        f = ctx.extra.get("a")
        if f is not None and f.any():
            x = x + 1
        q = getattr(ctx, "lens")
        if q[0]:  # H
            x = x + 1
        for idx, ln in enumerate(ctx.lens):
            if ln > idx:  # H
                x = x + 1
        while x.sum() > 0:  # H
            x = x - 1
        r = [j for j in range(4) if ctx.lens[j] > 0]  # H
        s = sum(1 for v in ctx.lens if v)  # H
        u = sorted(range(4), key=lambda j: ctx.lens[j].item())  # H
        d = {int(v): 1 for v in ctx.lens}  # H
        lo = x.new_tensor([1, 2])  # H
        g = th.tensor(self.host, device=x.device)  # H
        e = th.full((1,), 3.0, device=x.device)
        sel = x[[0, 2]]  # H
        sel = x[self.host]  # H
        sel = x[th.tensor([0, 1])]  # H
        x[:, self.host] = 0  # H
        x.index_put_((ctx.lens.long(),), x)
        mm = x.masked_select(x > 0)  # H
        c1 = F.embedding(ctx.lens, x)
        c2 = x.to(th.float16).to(x.device)
        c3 = x.type_as(GLOBAL)
        c4 = th.any(x > 0, dim=-1)
        c5 = th.where(c4, 1, 0)
        c6 = x.argmax(dim=-1, keepdim=True)
        c7 = th.multinomial(F.softmax(x, -1), 1)
        c8 = x.scatter_(0, c6, 1.0)
        if c6.shape[0] == 3 and c6.dtype is th.int64 and not c6.requires_grad:
            x = x + 1
        try:
            x = x / x.sum()
        except ZeroDivisionError:
            pass
        if isinstance(x, T) and hasattr(x, "shape") and x is not None and id(x) != 3:
            x = x + 1
        return x


def build(device):
    m = Model(device)
    m.setup()
    return {"m": m, "x": th.zeros(8, 64, device=device), "ctx": Ctx(th.zeros(8, device=device)), "tup": Tup(th.zeros(2, device=device), 3)}


def step(state, i):
    return state["m"](state["x"], state["ctx"], i, state["tup"])
