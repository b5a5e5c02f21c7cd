import torch
from encoder import Encoder
from torch import nn

TOWERS = {"image": Encoder()}


class Model(nn.Module):
    def forward(self, pixels: torch.Tensor, sizes: list[int]):
        shapes = torch.tensor(sizes)
        return TOWERS["image"](pixels, shapes=shapes)
