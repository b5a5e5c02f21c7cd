"""Captures on top of running work."""
import torch


class Runner:
    def __init__(self, model):
        self.model = model
        self.x = torch.zeros(8, device="cuda")
        self.side = torch.cuda.Stream()

    def capture(self):
        g = torch.cuda.CUDAGraph()
        with torch.cuda.stream(self.side):
            for _ in range(3):
                self.model(self.x)
            g.capture_begin()  # want "warm-up above"
            self.y = self.model(self.x)
            g.capture_end()
        return g
