"""The host inside the stream."""
import torch
from cuda.bindings import runtime as cudart


class Layer(torch.nn.Module):
    def forward(self, x: torch.Tensor, stream):
        cudart.cudaLaunchHostFunc(stream, self.note, 0)  # want "wait for a host function"
        self.copy_stream.launch_host_func(self.note, 0)  # want "wait for a host function"
        self.copy_stream.add_callback(self.note)  # want "wait for a host function"
        return x
