"""Captures that reach outside themselves."""
import torch


class Runner:
    def __init__(self, model):
        self.model = model
        self.x = torch.zeros(8, device="cuda")
        self.side = torch.cuda.Stream()

    def capture(self):
        ready = torch.cuda.Event()
        ready.record()
        g = torch.cuda.CUDAGraph()
        with torch.cuda.graph(g):
            ready.wait()  # want "recorded before the capture"
            self.y = self.model(self.x)
            torch.cuda.current_stream().wait_event(ready)  # want "recorded before the capture"
            torch.cuda.current_stream().wait_stream(self.side)  # want "not being captured"
        return g
