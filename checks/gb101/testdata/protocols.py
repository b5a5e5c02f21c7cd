"""Methods that Python runs for a statement that does not name them, and tuples with names."""
import typing

import torch


class Batch(typing.NamedTuple):
    lens: torch.Tensor
    n: int


class Slots:
    def __init__(self, device):
        self.used = torch.zeros(8, dtype=torch.int64, device=device)
        self.names = ["a", "b"]

    def __bool__(self):
        return self.used.sum().item() > 0  # want "copies one value"

    def __len__(self):
        return self.used.max().item()  # want "copies one value"

    def __enter__(self):
        self.first = self.used[0].item()  # want "copies one value"
        return self

    def __exit__(self, kind, value, trace):
        self.last = self.used[-1].item()  # want "copies one value"


class Names:
    def __init__(self):
        self.names = ["a", "b"]

    def __len__(self):
        return len(self.names)

    def __enter__(self):
        return self

    def __exit__(self, kind, value, trace):
        self.names.pop()


class Layer(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.slots = Slots("cuda")
        self.names = Names()

    def forward(self, x: torch.Tensor, i: int):
        if self.slots:
            x = x + 1
        n = len(self.slots)
        with self.slots:
            x = x + n
        if self.names and len(self.names) > i:
            x = x + 1
        with self.names as names:
            x = x + len(names)
        order = sorted(range(4), key=lambda j: x[j].sum().item())  # want "copies one value"
        best = max(range(4), key=lambda j: (i + j) % 4)
        batch = Batch(x.sum(-1), i)
        lens, count = batch
        a = lens[0].item()  # want "copies one value"
        b = batch[0].max().item()  # want "copies one value"
        if count > 2 or batch[1] > 3 or order or best:
            x = x + a + b
        return x
