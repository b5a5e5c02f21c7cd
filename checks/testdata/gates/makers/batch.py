from dataclasses import dataclass, replace

import torch


@dataclass
class Batch:
    ids: torch.Tensor
    embed: torch.Tensor | None
    lens: torch.Tensor
    spans: torch.Tensor


def make(ids: list[int], device):
    return Batch(
        ids=torch.tensor(ids, device=device),
        embed=torch.tensor(ids) > 3,
        lens=torch.tensor([len(ids)], device=device),
        spans=torch.zeros(4, device=device),
    )


class Host:
    def copy(self, b: Batch):
        return Batch(ids=b.ids, embed=b.embed, lens=b.lens.cpu(), spans=b.spans)


@dataclass
class Counts:
    device: torch.Tensor
    mirror: torch.Tensor

    @staticmethod
    def make(counts: list[int], device: str):
        mirror = torch.tensor(counts, device="cpu")
        return Counts(device=mirror.to(device), mirror=mirror)


def on(where="cpu", device="cuda"):
    return torch.zeros(4, device=device)


@dataclass
class Spread:
    ids: torch.Tensor
    marks: torch.Tensor | None = None


def prepare(marks):
    return Spread(ids=marks, marks=marks())
