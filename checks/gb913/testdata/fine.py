"""Other stacks that share."""
import torch
import warp as wp


class Table:
    def copy_to_host(self):
        """Of the project."""


class Layer(torch.nn.Module):
    def __init__(self):
        super().__init__()
        wp.synchronize()  # load time
        self.table = Table()

    def forward(self, x: torch.Tensor, kernel):
        wp.launch(kernel, dim=8, inputs=[wp.from_torch(x)])
        self.table.copy_to_host()
        return x
