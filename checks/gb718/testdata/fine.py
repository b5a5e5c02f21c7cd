"""Captures after a first run."""
import contextlib
import torch


class Runner:
    def __init__(self, model):
        self.model = model
        self.x = torch.zeros(8, device="cuda")

    def capture(self):
        g = torch.cuda.CUDAGraph()
        for _ in range(3):
            self.model(self.x)
        torch.cuda.synchronize()
        with torch.cuda.graph(g):
            self.y = self.model(self.x)
        with torch.cuda.graph(g):
            self.x.add_(1)  # nothing that would be set up
        return g

    def capture_given(self, step):
        g = torch.cuda.CUDAGraph()
        with torch.cuda.graph(g):
            self.y = step(self.x)  # whoever hands it in may have run it
        return g

    def capture_after_wait(self):
        torch.cuda.synchronize()
        g = torch.cuda.CUDAGraph()
        with torch.cuda.graph(g):
            self.y = self.model(self.x)
        return g

    @contextlib.contextmanager
    def recording(self, g):
        with torch.cuda.graph(g):
            yield
