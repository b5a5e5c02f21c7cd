"""Regions that the program does not mark for gatebot: NVTX ranges, and functions named by --region-func."""

import threading

import torch


class Model:
    def __init__(self):
        self.w = torch.randn(32, 32, device="cuda")

    @torch.no_grad()
    def decode(self, x):
        y = x @ self.w  # want GB301 GB304: the second thread gets a cuBLAS workspace of its own
        if y.sum() > 0:  # want GB101
            y = y + 1
        return y


def helper(x):
    return x.tolist()  # want GB103


def main():
    m = Model()
    x = torch.randn(4, 32, device="cuda")
    x.sum().item()  # outside of every region
    for _ in range(2):
        x = m.decode(x)
    torch.cuda.nvtx.range_push("sample")
    helper(x[0])
    torch.cuda.nvtx.range_pop()
    t = threading.Thread(target=lambda: m.decode(x))
    t.start()
    t.join()


main()
