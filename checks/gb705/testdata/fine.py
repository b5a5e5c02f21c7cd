"""Outputs that are copied, or used at once."""
import torch


class Runner:
    def __init__(self, model):
        self.model = model
        self.x = torch.zeros(8, device="cuda")
        self.ring = torch.zeros(4, 8, device="cuda")

    def capture(self, sizes):
        self.graphs, self.outs = [], []
        for n in sizes:
            g = torch.cuda.CUDAGraph()
            with torch.cuda.graph(g):
                self.out = self.model(self.x[:n])
            self.graphs.append(g)
            self.outs.append(self.out)  # one output for each graph: no replay in between

    def run(self, batches):
        outs, tokens = [], []
        for i, b in enumerate(batches):
            self.x.copy_(b)
            self.g.replay()
            outs.append(self.out.clone())
            tokens.append(self.out.argmax(-1))
            self.ring[i] = self.out  # a copy
        return outs, tokens

    def step(self, b):
        self.x.copy_(b)
        self.g.replay()
        return self.out  # used before the next replay
