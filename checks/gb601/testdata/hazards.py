"""Captures where nothing can be captured."""
import torch


class Runner:
    def __init__(self, model):
        self.model = model
        self.x = torch.zeros(8, device="cuda")

    def capture(self):
        g = torch.cuda.CUDAGraph()
        g.capture_begin()  # want "the default one here"
        self.y = self.model(self.x)
        g.capture_end()
        return g

    def capture_explicitly(self):
        g = torch.cuda.CUDAGraph()
        with torch.cuda.graph(g, stream=torch.cuda.default_stream()):  # want "default stream"
            self.y = self.model(self.x)
        with torch.cuda.stream(torch.cuda.default_stream()):
            g.capture_begin()  # want "default one"
            self.y = self.model(self.x)
            g.capture_end()
        return g
