"""Captures on a stream of their own."""
import torch


class Runner:
    def __init__(self, model):
        self.model = model
        self.x = torch.zeros(8, device="cuda")
        self.side = torch.cuda.Stream()

    def capture(self):
        g = torch.cuda.CUDAGraph()
        with torch.cuda.graph(g):  # switches by itself
            self.y = self.model(self.x)
        with torch.cuda.graph(g, stream=self.side):
            self.y = self.model(self.x)
        with torch.cuda.stream(self.side):
            g.capture_begin()
            self.y = self.model(self.x)
            g.capture_end()
        return g

    def capture_after_set_stream(self):
        torch.cuda.set_stream(self.side)
        g = torch.cuda.CUDAGraph()
        g.capture_begin()
        self.y = self.model(self.x)
        g.capture_end()

    def begin(self, g):
        g.capture_begin()  # half of a wrapper: the stream is the caller's business


class Recorder:
    def capture_begin(self):
        """Of another class."""

    def capture(self):
        self.capture_begin()
