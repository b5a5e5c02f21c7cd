"""Side streams that come back."""
import torch


class Layer(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.side = torch.cuda.Stream()
        self.prefetch = torch.cuda.Stream()
        self.events = torch.cuda.Stream()
        self.gate = torch.cuda.Stream()
        self.lone = torch.cuda.Stream()
        self.done = torch.cuda.Event()

    def join(self):
        torch.cuda.current_stream().wait_stream(self.prefetch)

    def join_gate(self):
        torch.cuda.current_stream().wait_stream(self.gate)

    def forward(self, x: torch.Tensor):
        current = torch.cuda.current_stream()
        self.side.wait_stream(current)
        with torch.cuda.stream(self.side):
            y = x * 2
        current.wait_stream(self.side)
        self.prefetch.wait_stream(current)
        with torch.cuda.stream(self.prefetch):  # joined by a helper
            z = x * 3
        self.join()
        self.events.wait_stream(current)
        with torch.cuda.stream(self.events):
            w = x * 4
            self.done.record()
        current.wait_event(self.done)
        with torch.cuda.stream(self.lone):  # never forked: GB602
            v = x * 5
        stream = self.gate
        stream.wait_stream(current)
        with torch.cuda.stream(stream):  # joined under its other name
            u = x * 6
        self.join_gate()
        return u + y + z + w + v
