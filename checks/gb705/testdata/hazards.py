"""Outputs that the next replay overwrites."""
import torch


class Runner:
    def __init__(self, model):
        self.model = model
        self.x = torch.zeros(8, device="cuda")
        self.logits = {}

    def capture(self):
        self.g = torch.cuda.CUDAGraph()
        with torch.cuda.graph(self.g):
            self.out = self.model(self.x)

    def run(self, batches):
        outs = []
        for i, b in enumerate(batches):
            self.x.copy_(b)
            self.g.replay()
            outs.append(self.out)  # want "the next replay overwrites"
            self.logits[i] = self.out[0]  # want "the next replay overwrites"
        return outs

    def stream(self, batches):
        for b in batches:
            self.x.copy_(b)
            self.g.replay()
            yield self.out  # want "the next replay overwrites"


def run(model, x, batches):
    g = torch.cuda.CUDAGraph()
    with torch.cuda.graph(g):
        y = model(x)
    outs = []
    for b in batches:
        x.copy_(b)
        g.replay()
        outs.append(y)  # want "the next replay overwrites"
    return outs
