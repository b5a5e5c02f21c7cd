"""The same model with its 4-bit layers replaced by their plain arithmetic: no scale layout, no buffers, no addresses. What
the step gives has to be this, bit for bit; a replay that equals its eager step can still be wrong in both."""
from collections.abc import Sequence

import torch

from .config import Config
from .model import DSV4


def plain(cfg: Config, attend: type, devices: Sequence[torch.device]) -> DSV4:
    model = DSV4(cfg, attend, devices)
    for module in model.modules():
        if hasattr(module, "reference"):
            module.forward = module.reference
    return model
