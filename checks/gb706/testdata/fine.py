"""State that replays keep, and state beside the graph."""
import torch


class Stats:
    def __init__(self):
        self.hits = 0


class Router(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = torch.nn.Linear(8, 8)
        self.register_buffer("count", torch.zeros(1))
        self.buf = None
        self.stats = Stats()
        self.made = 0
        self.sizes = []

    def forward(self, x: torch.Tensor):
        if self.buf is None:
            self.buf = torch.zeros(8, device="cuda")
            self.made += 1
        self.count += 1
        self.made //= 2  # no counter
        self.stats.hits += 1  # statistics
        parts = []
        for _ in range(4):
            parts.append(self.lin(x))
        self.sizes.append(x.shape[0])  # host data: read below, in the same step
        return torch.cat(parts)


class Runner:
    def __init__(self):
        self.steps = 0
        self.outs = []

    def execute_step(self, x: torch.Tensor):
        self.steps += 1
        self.outs.append(x)
        return x
