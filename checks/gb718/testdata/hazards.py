"""Captures of a first run."""
import torch


class Runner:
    def __init__(self, model):
        self.model = model
        self.x = torch.zeros(8, device="cuda")

    def capture(self):
        g = torch.cuda.CUDAGraph()
        with torch.cuda.graph(g):  # want "has not run before"
            self.y = self.model(self.x)
        return g
