"""A scale of one element, spread over the rows without copies, read as if it were a dense vector. Eager mode and replay
agree on the wrong numbers; the declared reference does not."""
import torch


def build(device):
    return {"x": torch.rand(4, 16, device=device), "bank": torch.rand(8, device=device)}


def dense(v):
    return v.as_strided((v.shape[0],), (1,))


def step(s, i):
    s["x"].add_(0.25)
    scale = s["bank"][:1].expand(s["x"].shape[0])
    return s["x"] * dense(scale)[:, None]


def reference(s, i):
    return (s["x"] + 0.25) * s["bank"][0]
