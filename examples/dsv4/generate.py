"""Decodes a few tokens in eager mode: python generate.py [--device cpu] [--steps 16] [--phase 1]."""
import argparse
import os
import time

import torch

from dsv4.decoding import Decoding, config_from, devices_from
from dsv4.eager_attend import EagerAttend
from dsv4.model import DSV4
from dsv4.paged_attend import PagedAttend, bucket


def main():
    ap = argparse.ArgumentParser(description=__doc__)
    ap.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    ap.add_argument("--steps", type=int, default=16)
    ap.add_argument("--phase", type=int, choices=(1, 2), default=1)
    args = ap.parse_args()
    cfg = config_from(os.environ)
    model = DSV4(cfg, EagerAttend if args.phase == 1 else PagedAttend, devices_from(args.device, 1))
    decoding, out, began = Decoding(model), [], time.perf_counter()
    with torch.no_grad():
        for step in range(args.steps):
            decoding.prepare(step)
            _, tokens = model.decode_step(step if args.phase == 1 else bucket(cfg, step))
            out.append(tokens.tolist())
            if decoding.stop():
                break
    took = time.perf_counter() - began
    for b, tokens in enumerate(zip(*out)):
        print(f"sequence {b}:", *tokens)
    print(f"{len(out)} steps of {cfg.layers} layers on {args.device}, {took / len(out) * 1e3:.1f} ms each")


main()
