"""Copies that no line shows."""
import torch


class Layer(torch.nn.Module):
    def __init__(self, stop):
        super().__init__()
        self.stop = [1, 2]

    def forward(self, x: torch.Tensor):
        with torch.device("cuda"):
            ids = torch.tensor(self.stop)  # want "copied to the default device"
            one = torch.as_tensor([1.0])  # want "copied to the default device"
        torch.set_default_device("cuda")  # want "changes where every factory"
        return x + one, ids
