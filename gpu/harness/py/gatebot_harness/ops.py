"""The list of what a step asks of the device: every ATen operation and every Triton launch, with shapes, dtypes and host
numbers, and the line of the repository that asked. Two steps of one bucket must give the same list.

A step of a large model has tens of thousands of operations. They are kept as they are and put into words only where they
are written: all of the first step of a bucket, and of the others what is different."""
import sys
import threading
import time


def signature(Tensor, args):
    """(what a launch depends on, host numbers that a graph would freeze, whether a device tensor takes part)."""
    shape, numbers, device = [], [], False
    left = list(args)
    left.reverse()
    while left:
        a = left.pop()
        if isinstance(a, Tensor):
            device = device or a.is_cuda
            shape.append((a.dtype, tuple(a.shape), a.device))
        elif a is None:
            pass
        elif isinstance(a, (bool, int, float, complex)):
            numbers.append(a)
        elif isinstance(a, (list, tuple)):
            left.extend(reversed(a))
        elif isinstance(a, dict):
            left.extend(reversed(list(a.values())))
        else:
            text = str(a)
            device = device or text.startswith("cuda")
            shape.append(text[:80] if len(text) < 80 and " at 0x" not in text else type(a).__name__)
    return tuple(shape), tuple(numbers), device


def words(shape):
    return " ".join(s if isinstance(s, str) else f"{str(s[0])[6:]}{list(s[1])}@{s[2]}" for s in shape)


class Recorder:
    """Emits op events of the steps that it is on for."""

    def __init__(self, torch, trace, root, probe):
        self.torch, self.trace, self.root, self.probe, self.on = torch, trace, root, probe, False
        self.items, self.first, self.names = [], {}, {}
        self.thread = threading.get_ident()
        self.hook_triton()

    def record(self, name, args, out=None):
        if not self.on:
            return
        shape, numbers, device = signature(self.torch.Tensor, args)
        if not device and out is not None:
            device = signature(self.torch.Tensor, (out,))[2]
        if device:
            self.items.append((name, shape, numbers, self.root.innermost_code(sys._getframe(1)), time.monotonic_ns()))

    def step(self, i, bucket):
        """Writes what was kept of a step."""
        items, self.items = self.items, []
        first = self.first.setdefault(bucket, (i, items))
        which = range(len(items))
        if first[0] != i and len(first[1]) == len(items):
            other = [k for k, (a, b) in enumerate(zip(first[1], items)) if a[:3] != b[:3]]
            if 2 * len(other) <= len(items):
                if items:
                    self.trace.emit("same", of=first[0], t=items[0][4])
                which = other
        whole = len(which) == len(items)
        for k in which:
            func, shape, numbers, (code, line), t = items[k]
            name = self.names.get(func)
            if name is None:
                name = self.names[func] = str(func)
            frames = [{"file": code.co_filename, "line": line, "func": getattr(code, "co_qualname", code.co_name)}] if code else None
            self.trace.emit("op", t=t, name=name, args=words(shape), numbers=" ".join(map(repr, numbers)), frames=frames,
                            n=None if whole else k + 1)

    def mode(self):
        from torch.utils._python_dispatch import TorchDispatchMode

        recorder = self

        class Ops(TorchDispatchMode):
            def __torch_dispatch__(self, func, types, args=(), kwargs=None):
                # The operation says its line. What is launched past the dispatcher is recorded with its own stack.
                recorder.probe.launch_frames(False)
                try:
                    out = func(*args, **(kwargs or {}))
                finally:
                    recorder.probe.launch_frames(recorder.on)
                recorder.record(func, (args, kwargs) if kwargs else args, out)
                return out

        return Ops()

    def hook_triton(self):
        """Triton launches pass torch's dispatcher by."""
        try:
            from triton.runtime.jit import JITFunction
        except Exception:
            return  # no Triton, no launches of it
        run, recorder = JITFunction.run, self

        def wrapped(self, *args, grid, warmup, **kwargs):
            if not warmup:
                name = getattr(self, "__name__", None) or getattr(self.fn, "__name__", "kernel")
                recorder.record("triton:" + name, [args, kwargs])
            return run(self, *args, grid=grid, warmup=warmup, **kwargs)

        JITFunction.run = wrapped
