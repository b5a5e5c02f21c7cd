"""Side streams that start on their own."""
import torch


class Layer(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = torch.nn.Linear(8, 8)
        self.side = torch.cuda.Stream()

    def forward(self, x: torch.Tensor):
        with torch.cuda.stream(self.side):  # want "has not waited"
            y = x * 2
        torch.cuda.current_stream().wait_stream(self.side)
        return y


def forward_step(x: torch.Tensor):
    aux = torch.cuda.Stream()
    with torch.cuda.stream(aux):  # want "`aux` has not waited"
        y = x.add(1)
    return y
