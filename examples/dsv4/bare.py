"""What torch alone says of a tree of this example: python bare.py TREE prints one JSON object. torch's sync-debug mode warns
during one step, and torch.cuda.graph tries to capture the next. No gatebot takes part: this is what there was before."""
import collections
import json
import os
import sys
import traceback
import warnings

import torch

WARMUP = 3


def place(tree, stack):
    """The innermost line of the tree in a stack."""
    for frame in reversed(stack):
        if os.path.realpath(frame.filename).startswith(tree + os.sep):
            return f"{os.path.relpath(os.path.realpath(frame.filename), tree)}:{frame.lineno}"
    return "?"


def sync_debug(gate, state, i, tree):
    lines = collections.Counter()
    gate.prepare(state, i)
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        warnings.showwarning = lambda *_, **__: lines.update([place(tree, traceback.extract_stack())])
        torch.cuda.set_sync_debug_mode("warn")
        try:
            gate.step(state, i)
        finally:
            torch.cuda.set_sync_debug_mode("default")
    torch.cuda.synchronize()
    return dict(lines)


def capture(gate, state, i):
    gate.prepare(state, i)
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        gate.step(state, i)
    graph.replay()
    torch.cuda.synchronize()


def main():
    tree = os.path.realpath(sys.argv[1])
    sys.path.insert(0, tree)
    out = {"torch": torch.__version__, "device": torch.cuda.get_device_name()}
    try:
        import gate_phase2 as gate

        state = gate.build("cuda")
        for i in range(WARMUP):
            gate.prepare(state, i)
            gate.step(state, i)
        out["sync_debug"] = sync_debug(gate, state, WARMUP, tree)
    except Exception as e:
        out["eager"] = f"{type(e).__name__}: {str(e).splitlines()[0]}"
        out["eager_at"] = place(tree, traceback.extract_tb(e.__traceback__))
        print(json.dumps(out))
        return
    try:
        capture(gate, state, WARMUP + 1)
        out["capture"] = "ok"
    except Exception as e:
        first = e.__context__ if e.__context__ is not None else e  # what broke it, before what ending it said
        out["capture"] = f"{type(first).__name__}: {str(first).splitlines()[0]}"
        out["capture_at"] = place(tree, traceback.extract_tb(first.__traceback__))
    print(json.dumps(out), flush=True)
    os._exit(0)  # a failed capture can make a normal exit hang


main()
