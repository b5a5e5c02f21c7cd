"""CuPy on the device."""
import cupy as cp
import torch


class Layer(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.table = cp.asnumpy(cp.arange(4))  # load time

    def forward(self, x: torch.Tensor, kernel):
        with cp.cuda.ExternalStream(torch.cuda.current_stream().cuda_stream):
            y = kernel(cp.from_dlpack(x))
        return torch.from_dlpack(y)
