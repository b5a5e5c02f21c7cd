import cupy as cp


def decode(x):
    y = x * 2
    if float(y.sum()) > 0:  # want
        y = y + 1
    return cp.asnumpy(y)  # want


for _ in range(3):
    decode(cp.ones(64, dtype=cp.float32))
