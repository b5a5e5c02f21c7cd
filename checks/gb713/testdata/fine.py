"""Addresses that stay."""
import torch


class Grouped(torch.nn.Module):
    def __init__(self, weights):
        super().__init__()
        self.weights = weights
        self.ptrs = torch.tensor([w.data_ptr() for w in weights], device="cuda")  # load time
        self.lazy = None

    def forward(self, x: torch.Tensor, kernel):
        if self.lazy is None:
            self.lazy = torch.tensor([w.data_ptr() for w in self.weights], device="cuda")
        kernel(x.data_ptr(), self.ptrs)
        assert x.data_ptr() % 16 == 0
        aligned = torch.tensor([1.0], device="cpu")
        same = [x.data_ptr() == w.data_ptr() for w in self.weights]
        flags = torch.tensor(same)
        return aligned, flags
