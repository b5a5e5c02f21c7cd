"""Captures after a wait."""
import torch


class Runner:
    def __init__(self, model):
        self.model = model
        self.x = torch.zeros(8, device="cuda")
        self.side = torch.cuda.Stream()

    def capture(self):
        g = torch.cuda.CUDAGraph()
        for _ in range(3):
            self.model(self.x)
        torch.cuda.synchronize()
        with torch.cuda.stream(self.side):
            g.capture_begin()
            self.y = self.model(self.x)
            g.capture_end()
        for _ in range(3):
            self.model(self.x)
        with torch.cuda.graph(g):  # waits by itself
            self.y = self.model(self.x)
        return g

    def capture_only(self, g):
        with torch.cuda.stream(self.side):
            g.capture_begin()  # no warm-up here
            self.y = self.model(self.x)
            g.capture_end()
