import asyncio
import contextlib
import functools
import itertools
import operator
import types

import torch
from dataclasses import dataclass, field, replace
from torch import nn
from transformers import LlamaAttention
from typing import NamedTuple


def f1(x: torch.Tensor):
    if x.sum() > 0:  # H
        x = x + 1
    return x


def f2(x: torch.Tensor):
    return x.item()  # H


OPS = {"a": f1, "b": f2}


def register(name):
    def deco(fn):
        OPS[name] = fn
        return fn
    return deco


@register("c")
def f3(x: torch.Tensor):
    return x.tolist()


@functools.singledispatch
def disp(x):
    return x


@disp.register
def _(x: torch.Tensor):
    return x + 1


@contextlib.contextmanager
def ctx(x):
    n = x.item()  # H
    yield n


def gen(x):
    for i in range(3):
        yield x[i].item()  # H


@dataclass
class Meta:
    lens: torch.Tensor
    n: int = 0
    extra: list = field(default_factory=list)

    @property
    def total(self):
        return self.lens.sum()

    def more(self):
        return replace(self, n=3)


class Pair(NamedTuple):
    a: torch.Tensor
    b: int


class Base(nn.Module):
    def __init__(self, kind):
        super().__init__()
        self.kind = kind
        self.hooks = []
        self.table = {"x": self.route_x, "y": lambda t: t.item()}  # H
        self.seq = nn.Sequential(Inner(), Inner())
        self.mods = nn.ModuleDict({"a": Inner2()})
        self.fn = functools.partial(helper, 3)
        self.register_buffer("flag", torch.zeros(1, device="cuda"))

    def add_hook(self, h):
        self.hooks.append(h)

    def route_x(self, t):
        return int(t)  # H

    def forward_fast(self, t):
        return t + 1

    def __getattr__(self, name):
        return getattr(self.inner, name)

    def forward(self, x: torch.Tensor, meta: Meta):
        OPS[self.kind](x)
        OPS["c"](x)
        disp(x)
        with ctx(x) as n:
            pass
        for v in gen(x):
            pass
        self.table["x"](x)
        self.table["y"](x)
        getattr(self, "forward_" + self.kind)(x)
        getattr(self, f"forward_{self.kind}")(x)
        y = self.seq(x)
        y = self.mods["a"](y)
        self.fn(x)
        if meta.total > 3:  # H
            x = x + 1
        m2 = meta.more()
        if m2.lens[0] == 1:  # H
            x = x + 1
        match x.sum():  # H
            case 0:
                pass
        if operator.gt(x.sum(), 0):  # H
            x = x + 1
        if (k := x.max()) > 3:  # H
            x = x + k
        a, *rest = x.tolist()  # H
        z = x if self.flag else y  # H
        if any(t > 0 for t in x.unbind()):  # H
            x = x + 1
        if all([x[0] > 0, x[1] > 0]):  # H
            x = x + 1
        if x[0] in (1, 2):  # H
            x = x + 1
        s = f"{x}"  # H
        w = list(map(int, x))  # H
        q = sum(x.tolist())  # H
        if torch.Tensor.item(x):  # H
            x = x + 1
        if x.sum().__bool__():  # H
            x = x + 1
        if operator.truth(x.sum()):  # H
            x = x + 1
        r = list(itertools.compress([1, 2], x))  # H
        c = functools.reduce(lambda p, t: p if p > t else t, x.unbind())  # H
        i = operator.index(x[0])  # H
        u = [1, 2, 3][x[0]]  # H
        b = max(x[0], x[1])  # H
        g = x[: x[0]]  # H
        d = divmod(int(x[0]), 2)  # H
        lst = [0] * x[0]  # H
        h = "%d" % x[0]  # H
        e = sorted([x[0], x[1]])  # H
        o = not x.sum()  # H
        p = x.sum() and y  # H
        print(x)  # H
        t = min(x.unbind(), key=lambda v: v)  # H
        while x.sum() < 3:  # H
            x = x + 1
        assert (x > 0).all()  # H
        for j in range(x[0]):  # H
            pass
        v = [xx for xx in x.unbind() if xx > 0]  # H
        l = {1: 2}.get(x[0].item())  # H
        ss = str(x[0])  # H
        n2 = len(x[x > 0])  # H
        cc = x[0] == x[1] == x[2]  # H
        try:
            x.index_select(0, x.nonzero()[0])  # H
        finally:
            pass
        tt = torch.zeros(x[0], device="cuda")  # H
        del tt
        if operator.gt(x.shape[0], 0) or operator.not_(self.kind):
            x = x + 1
        n3 = functools.reduce(lambda p, t: p if p > t else t, x.shape)
        n4 = list(itertools.takewhile(lambda t: t > 3, [1, 2]))
        m3 = replace(meta, n=4)
        if m3.n > 3 or meta.more().n > 3:
            x = x + 1
        o2 = Pair(x, 3)
        if o2._replace(b=4).b > 3:
            x = x + 1
        if o2._replace(b=x.sum()).b > 3:  # H
            x = x + 1
        if replace(meta, n=x.sum()).n > 3:  # H
            x = x + 1
        n5 = list(itertools.dropwhile(lambda t: t > 3, x.unbind()))  # H
        n6 = list(itertools.filterfalse(lambda t: t > 3, x))  # H
        n7 = list(itertools.accumulate(x.unbind(), lambda p, t: t if t > p else p))  # H
        n8 = list(itertools.starmap(lambda p, t: t if t > p else p, [(x[0], x[1])]))  # H
        return [*map(float, x)]  # H


def helper(k, t):
    return t.cpu()  # H


class Inner(nn.Module):
    def forward(self, t):
        return t.item()  # H


class Inner2(nn.Module):
    def forward(self, t):
        return t.item()  # H


class Async(nn.Module):
    async def forward(self, x: torch.Tensor):
        await self.push(x)
        return x

    async def push(self, x):
        return x.cpu()  # H


class Sub(Base):
    def forward(self, x: torch.Tensor, meta: Meta):
        def inner():
            nonlocal x
            x = x.item()  # H
        inner()
        fs = [self.one, self.two]
        for fn in fs:
            fn(x)
        run = self.pick(x)
        run(x)
        return super().forward(x, meta)

    def pick(self, x):
        return self.three if self.kind else self.two

    def one(self, x):
        return x.item()  # H

    def two(self, x):
        return x.item()  # H

    def three(self, x):
        return x.item()  # H


class Patched(nn.Module):
    def __init__(self):
        super().__init__()
        self.late = self.late_fast

    def forward(self, x: torch.Tensor):
        return self.attn(x) + self.mix(x) + self.late(x)

    def attn(self, x):
        return x

    def mix(self, x):
        return x

    def late(self, x):
        return x

    def late_fast(self, x):
        return x.item()  # H


def attn_fast(self, x):
    return x.item()  # H


Patched.attn = attn_fast


def patch(layer):
    patched = Patched()
    setattr(patched, "mix", free)
    layer.forward = types.MethodType(whole, layer)


def free(x):
    return x.item()  # H


def whole(self, x: torch.Tensor):
    return x.item()  # H


def ours(self, x: torch.Tensor):
    return x.item()  # H


LlamaAttention.forward = ours
