"""The CUDA devices that a step uses: all of them are waited for, and a region whose work lies on several is captured as
one graph."""
import contextlib


def used(torch):
    """Ordinals of the devices on which this process has a context. Waiting for another one would make a context there."""
    has = getattr(torch._C, "_cuda_hasPrimaryContext", None)
    if has is None:
        return [torch.cuda.current_device()]
    return [d for d in range(torch.cuda.device_count()) if has(d)] or [torch.cuda.current_device()]


def wait(torch):
    for d in used(torch):
        torch.cuda.synchronize(d)


def of(torch, leaves):
    """The ordinals of the device tensors among leaves, in the order of the first of each."""
    return list(dict.fromkeys(v.device.index for v in leaves if isinstance(v, torch.Tensor) and v.is_cuda))


class Sides:
    """A side stream for each device. The warm-up runs there and captures are made there, so that what a library keeps for
    a stream is made before a capture needs it."""

    def __init__(self, torch):
        self.torch, self.streams = torch, {}

    def of(self, d):
        if d not in self.streams:
            self.streams[d] = self.torch.cuda.Stream(device=d)
        return self.streams[d]

    @contextlib.contextmanager
    def current(self, devices):
        """Makes the side streams those of their devices, in order with what was enqueued before and is enqueued after."""
        cuda = self.torch.cuda
        at, before = cuda.current_device(), {d: cuda.current_stream(d) for d in devices}
        for d, stream in before.items():
            self.of(d).wait_stream(stream)
            cuda.set_stream(self.of(d))
        cuda.set_device(at)
        try:
            yield
        finally:
            for d, stream in before.items():
                stream.wait_stream(self.of(d))
                cuda.set_stream(stream)
            cuda.set_device(at)

    def pools(self, devices):
        """Memory pools of devices that a capture on another device takes part in: what a graph works on there must stay
        its own. None where this torch has no pools."""
        cuda, out = self.torch.cuda, {}
        if not hasattr(cuda, "MemPool") or not hasattr(cuda, "use_mem_pool"):
            return out
        for d in devices:
            with cuda.device(d):
                out[d] = cuda.MemPool()
        return out

    @contextlib.contextmanager
    def forked(self, home, others, pools):
        """Inside a capture on home's side stream: the side streams of the other devices take part and are joined."""
        cuda, main = self.torch.cuda, self.of(home)
        before = {d: cuda.current_stream(d) for d in others}
        with contextlib.ExitStack() as held:
            try:
                for d in others:
                    self.of(d).wait_stream(main)
                    if d in pools:
                        held.enter_context(cuda.use_mem_pool(pools[d], device=d))
                    cuda.set_stream(self.of(d))
                cuda.set_device(home)
                yield
                for d in others:
                    main.wait_stream(self.of(d))
            finally:
                for d, stream in before.items():
                    cuda.set_stream(stream)
                cuda.set_device(home)


@contextlib.contextmanager
def ordered(torch, home, others):
    """Around a replay on home's current stream of a graph that also works on others: there, what came before is done
    before, and what follows waits."""
    if others:
        main = torch.cuda.current_stream(home)
        for d in others:
            main.wait_stream(torch.cuda.current_stream(d))
    yield
    if others:
        main = torch.cuda.current_stream(home)
        for d in others:
            torch.cuda.current_stream(d).wait_stream(main)
