"""A torch that pretends to have a device, for the tests of trial.py: tensors are lists of numbers in memory."""
import os
import types
import warnings

__version__ = "9.9.9+pretend"
version = types.SimpleNamespace(cuda=os.environ.get("PRETEND_CUDA", "13.0") or None)
uint8 = "uint8"
if os.environ.get("PRETEND_BROKEN"):
    raise ImportError("libcublas.so.13: cannot open shared object file")


class Tensor:
    def __init__(self, values):
        self.values = values

    def item(self):
        if cuda.mode == "warn":
            warnings.warn("called a synchronizing CUDA operation")
        if cuda.graph.open is not None:
            raise RuntimeError("CUDA error: operation not permitted when stream is capturing\nand more lines")
        return self.values[0]

    def mul(self, k, out):
        work = lambda: out.values.__setitem__(slice(None), [v * k for v in self.values])
        cuda.graph.open.append(work) if cuda.graph.open is not None else work()

    def __getattr__(self, name):  # detach().contiguous().view(...).cpu().numpy()
        return lambda *a: self

    def tobytes(self):
        return repr(self.values).encode()


def zeros(n, device=None):
    return Tensor([0.0] * n)


class CUDAGraph:
    def __init__(self, keep_graph=None):
        if keep_graph:
            raise TypeError("no such argument")
        self.work = []

    def replay(self):
        for w in self.work:
            w()


class graph:
    open = None

    def __init__(self, g, capture_error_mode):
        self.g = g

    def __enter__(self):
        graph.open = self.g.work

    def __exit__(self, *exc):
        graph.open = None


class cuda:
    mode = "default"
    CUDAGraph, graph = CUDAGraph, graph
    synchronize = staticmethod(lambda: None)
    get_device_name = staticmethod(lambda: "Pretend GPU")

    @staticmethod
    def set_sync_debug_mode(mode):
        cuda.mode = mode
