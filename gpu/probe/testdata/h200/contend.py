"""Threads that allocate, free and wait at once, with and without the GIL: the probe must not hang any of them."""

import threading
import time

import torch

stop = time.monotonic() + 8
done = []


def work(k):
    s = torch.cuda.Stream()
    with torch.cuda.stream(s):
        while time.monotonic() < stop:
            big = [torch.empty((1 + (k + i) % 5) << 20, device="cuda") for i in range(4)]
            pin = torch.empty(1 << (12 + k), pin_memory=True)
            big[0][:4].sum().item()
            pin[:16].copy_(big[1][:16], non_blocking=True)
            del big, pin
            torch.cuda.empty_cache()
    done.append(k)


threads = [threading.Thread(target=work, args=(k,)) for k in range(6)]
for t in threads:
    t.start()
while any(t.is_alive() for t in threads):
    sum(range(20000))  # somebody who holds the GIL
print("done", sorted(done))
