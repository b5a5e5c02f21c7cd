"""Buffers that are written too soon."""
import torch


class Runner:
    def __init__(self):
        self.pin = torch.zeros(8, pin_memory=True)
        self.buf = torch.zeros(8, device="cuda")
        self.outs = torch.zeros(4, 8, device="cuda")

    def decode_step(self, values):
        for i, v in enumerate(values):
            self.pin.fill_(i)  # want "`self.pin` is written again"
            self.outs[i].copy_(self.pin, non_blocking=True)

    def decode_twice(self, a: int, b: int):
        self.pin[0] = a
        x = self.pin.to("cuda", non_blocking=True)
        self.pin[0] = b  # want "written again"
        self.buf.copy_(self.pin, non_blocking=True)
        return x
