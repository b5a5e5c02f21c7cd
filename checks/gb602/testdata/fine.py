"""Side streams that are part of the step."""
import torch


class Layer(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = torch.nn.Linear(8, 8)
        self.side = torch.cuda.Stream()
        self.late = torch.cuda.Stream()
        self.copies = torch.cuda.Stream()
        self.ready = torch.cuda.Event()
        self.idle = torch.cuda.Stream()

    def fork(self):
        self.late.wait_stream(torch.cuda.current_stream())

    def forward(self, x: torch.Tensor):
        self.side.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(self.side):
            y = x * 2
        torch.cuda.current_stream().wait_stream(self.side)
        self.fork()
        with torch.cuda.stream(self.late):  # forked by a helper
            z = x * 3
        torch.cuda.current_stream().wait_stream(self.late)
        self.ready.record()
        with torch.cuda.stream(self.copies):
            self.ready.wait()  # the side stream is the current one here
            w = x * 4
        torch.cuda.current_stream().wait_stream(self.copies)
        with torch.cuda.stream(torch.cuda.current_stream()):
            v = x * 5
        with torch.cuda.stream(self.idle):
            n = len(self.ready.__class__.__name__)  # no work for the device
        return y + z + w + v, n
