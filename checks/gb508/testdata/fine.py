"""Buffers that are written in time."""
import torch


class Runner:
    def __init__(self):
        self.pin = torch.zeros(8, pin_memory=True)
        self.pins = [torch.zeros(8, pin_memory=True) for _ in range(4)]
        self.other = torch.zeros(8, pin_memory=True)
        self.plain = torch.zeros(8)
        self.buf = torch.zeros(8, device="cuda")
        self.done = torch.cuda.Event()

    def decode_step(self, n: int):
        self.pin[0] = n  # once in a step
        self.buf.copy_(self.pin, non_blocking=True)
        self.other[0] = n

    def decode_ring(self, values):
        for i, v in enumerate(values):
            self.pins[i % 4].fill_(i)
            self.buf.copy_(self.pins[i % 4], non_blocking=True)

    def decode_blocking(self, values):
        for i, v in enumerate(values):
            self.pin.fill_(i)
            self.buf.copy_(self.pin)

    def decode_events(self, values):
        for i, v in enumerate(values):
            self.done.synchronize()
            self.pin.fill_(i)
            self.buf.copy_(self.pin, non_blocking=True)
            self.done.record()

    def decode_fresh(self, values):
        for i, v in enumerate(values):
            fresh = torch.zeros(8, pin_memory=True)
            fresh[0] = v
            self.buf.copy_(fresh, non_blocking=True)
