"""Captures that are closed."""
import torch


class Runner:
    def __init__(self, model):
        self.model = model
        self.x = torch.zeros(8, device="cuda")
        self.side = torch.cuda.Stream()

    def capture(self):
        ready = torch.cuda.Event()
        ready.record()
        ready.wait()  # before the capture
        outside = torch.cuda.Event(external=True)
        outside.record()
        inner = torch.cuda.Event()
        g = torch.cuda.CUDAGraph()
        with torch.cuda.graph(g):
            outside.wait()  # made for this
            self.side.wait_stream(torch.cuda.current_stream())
            with torch.cuda.stream(self.side):
                self.y = self.model(self.x)
                inner.record()
            inner.wait()  # recorded inside
            torch.cuda.current_stream().wait_stream(self.side)  # forked inside
        return g
