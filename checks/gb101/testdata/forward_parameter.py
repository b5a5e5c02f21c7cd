"""A parameter of a module's forward that is used as tensors and arrays are is a device tensor: arrays do not get there."""
import torch


class Gate(torch.nn.Module):
    def forward(self, x):
        n = x.sum().item()  # want "item"
        return x * n


class Lookup(torch.nn.Module):
    def forward(self, key):
        # a user's object with methods of its own
        return key.find().item()  # possible "copies one value"


def summary(x):
    # not the forward of a module, and nothing mentions it: an array as well as a tensor
    return x.sum().item()
