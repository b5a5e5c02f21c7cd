"""Callbacks of another kind."""
import torch


class Queue:
    def launch_host_func(self, f):
        """Of the project: not a stream."""


class Layer(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.queue = Queue()

    def forward(self, x: torch.Tensor, trainer, future):
        trainer.add_callback(self.note)
        future.add_done_callback(self.note)
        self.queue.launch_host_func(self.note)
        return x
