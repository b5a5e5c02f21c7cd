"""Hooks that wait."""
import torch


class Monitor:
    def __init__(self, model):
        self.stats = []
        model.register_forward_hook(self.note)  # want "out.norm...item.."
        model.register_forward_hook(lambda m, a, out: print(out.mean()))  # want "print.out.mean"

        def dump(module, args, out):
            self.stats.append(out.cpu())

        model.register_forward_pre_hook(dump)  # want "out.cpu"

    def note(self, module, args, out):
        self.stats.append(out.norm().item())


def decode_step(model, x: torch.Tensor):
    with torch.autograd.detect_anomaly():  # want "reads every result"
        return model(x)
