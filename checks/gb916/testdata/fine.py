"""Hooks where nothing is captured."""
import torch


class Monitor:
    def __init__(self, model: torch.nn.Module):
        model.register_forward_hook(self.count)

    def count(self, module, args, out):
        self.calls = out.shape[0]
