"""Defaults that do no harm."""
import torch


class Layer(torch.nn.Module):
    def __init__(self, stop):
        super().__init__()
        with torch.device("cuda"):
            self.ids = torch.tensor([1, 2])  # load time

    def forward(self, x: torch.Tensor):
        with torch.device("cuda"):
            z = torch.zeros(4)
            a = torch.arange(4)
            host = torch.tensor([1, 2], device="cpu")
            same = torch.as_tensor(x)
        with torch.device("cpu"):
            b = torch.tensor([1, 2])
        with torch.cuda.device(1):
            c = torch.tensor([1, 2])
        return x + z + a + same, host, b, c
