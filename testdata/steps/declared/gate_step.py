"""A step that returns what its reference says, in lower precision. The reference draws random numbers, as the step does,
and changes nothing for it."""
import torch

reference_tolerance = (2e-2, 5e-2)


def build(device):
    return {"x": torch.rand(16, 16, device=device), "w": torch.rand(16, 16, device=device), "h": torch.zeros(16, 16, device=device)}


def step(s, i):
    y = (s["x"].bfloat16() @ s["w"].bfloat16()).float()
    s["h"].copy_(torch.rand_like(y))
    s["x"].mul_(0.5).add_(s["h"] * 0.25)
    return {"y": y, "noise": s["h"]}


def reference(s, i):
    torch.rand_like(s["x"])
    return {"y": s["x"].double() @ s["w"].double()}
