"""The list of what a step asks of the device: every ATen operation and every Triton launch, with shapes, dtypes and host
numbers, and the line of the repository that asked. Two steps of one bucket must give the same list."""
import threading


def signature(torch, args):
    """(what a launch depends on, host numbers that a graph would freeze, whether a device tensor takes part)."""
    shape, numbers, device = [], [], False

    def add(a):
        nonlocal device
        if isinstance(a, torch.Tensor):
            device = device or a.is_cuda
            shape.append(f"{str(a.dtype)[6:]}{list(a.shape)}@{a.device}")
        elif isinstance(a, (list, tuple)):
            for x in a:
                add(x)
        elif isinstance(a, dict):
            for k in a:
                add(a[k])
        elif isinstance(a, (bool, int, float, complex)):
            numbers.append(repr(a))
        elif a is not None:
            text = str(a)
            device = device or text.startswith("cuda")
            shape.append(text[:80] if len(text) < 80 and " at 0x" not in text else type(a).__name__)

    for a in args:
        add(a)
    return shape, numbers, device


class Recorder:
    """Emits op events while it is on."""

    def __init__(self, torch, trace, root, probe):
        self.torch, self.trace, self.root, self.probe, self.on = torch, trace, root, probe, False
        self.thread = threading.get_ident()
        self.hook_triton()

    def record(self, name, args, out=None):
        if not self.on:
            return
        shape, numbers, device = signature(self.torch, args)
        if not device and out is not None:
            device = signature(self.torch, [out])[2]
        if device:
            self.trace.emit("op", name=name, args=" ".join(shape), numbers=" ".join(numbers),
                            frames=self.root.innermost())

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
                recorder.record(str(func), [args, kwargs or {}], out)
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
