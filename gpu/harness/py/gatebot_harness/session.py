"""Regions that capture themselves at their first call of a bucket and replay from then on. Arguments are copied into the
memory that the graph knows; tensors that stay where they are need no copy."""
import contextlib
import time

from . import devices, fault, frames, graphs, ranks, values, watch
from .probe import Probe
from .regions import WHOLE


class Failed(Exception):
    """A region could not be captured; the trace says why. The context may be beyond use."""


class Captured:
    def __init__(self, graph, out, inputs, keep, home, others, pools):
        self.graph, self.out, self.inputs, self.keep = graph, out, inputs, keep
        self.home, self.others, self.pools = home, others, pools


class Session:
    def __init__(self, run, listen, skip):
        self.run, self.torch, self.trace, self.listen, self.skip = run, run.torch, run.trace, listen, set(skip)
        self.sides, self.probe, self.owners, self.on = devices.Sides(self.torch), Probe(), {}, {}
        self.live, self.capturing, self.key = False, None, ""
        self.graphs, self.order, self.args = {}, {}, {}
        self.taken = None  # allocations of captured regions in this step, where they are counted

    def wrap_all(self, found):
        from . import regions

        for name, (owner, method, eager) in found.items():
            make, self.owners[name] = self.eager if eager else self.region, owner
            regions.wrap(owner, method, lambda fn, n=name, m=make: m(n, fn), name)

    def eager(self, name, fn):
        def call(*args, **kwargs):
            if self.capturing:
                raise fault.Fault("bad_config", f"the eager region {name} is called inside the captured region "
                                  f"{self.capturing}", "capture the parts before and after it instead")
            return fn(*args, **kwargs)
        return call

    def region(self, name, fn):
        def call(*args, **kwargs):
            if self.capturing or name in self.skip:
                return fn(*args, **kwargs)
            n = self.order.get(name, 0)
            self.order[name] = n + 1
            flat, spec = self.flatten((args, kwargs))
            if not self.live:
                return self.warm(name, n, fn, flat, spec)
            key, before = (self.key, name, n), self.allocs()
            if key not in self.graphs:
                with self.probe.paused(), self.listen.armed_step(False):  # a capture waits for the device first
                    self.graphs[key] = self.capture(name, n, fn, flat, spec)
            else:
                self.fill(self.graphs[key], flat)
            cap = self.graphs[key]
            with devices.ordered(self.torch, cap.home, cap.others):
                cap.graph.replay()
            for given, static in cap.inputs:
                if given is not None:
                    flat[given].copy_(static)
            if before is not None:
                self.taken += self.allocs() - before
            return cap.out
        return call

    def allocs(self):
        """How often memory was asked of the caching allocators so far; None where nobody counts."""
        if self.taken is None:
            return None
        return sum(self.torch.cuda.memory_stats(d).get("allocation.all.allocated", 0) for d in devices.used(self.torch))

    def counted(self, i, around=contextlib.nullcontext):
        """A replayed step whose allocations are counted: those of all of it, and those inside captured regions."""
        self.taken = 0
        try:
            out = self.step(i, around)
            for name, value in (("replay_allocs", self.taken), ("replay_step_allocs", self.allocs() - self.began)):
                self.trace.emit("measure", name=name, unit="count", of=str(i), value=value)
            return out
        finally:
            self.taken = None

    def flatten(self, tree):
        from torch.utils import _pytree

        return _pytree.tree_flatten(tree)

    def tensor(self, v):
        return isinstance(v, self.torch.Tensor) and v.is_cuda

    def warm(self, name, n, fn, flat, spec):
        """Learns which arguments stay in place and which ones the region writes."""
        from torch.utils import _pytree

        before = [v._version if self.tensor(v) else None for v in flat]
        args, kwargs = _pytree.tree_unflatten(flat, spec)
        out = fn(*args, **kwargs)
        self.on.setdefault((name, n), set()).update(devices.of(self.torch, flat + self.flatten(out)[0]))
        seen = self.args.setdefault((name, n), {})
        for k, v in enumerate(flat):
            if self.tensor(v):
                ptr, stays, written = seen.get(k, (v.data_ptr(), True, False))
                seen[k] = (v.data_ptr(), stays and ptr == v.data_ptr(), written or v._version != before[k])
        return out

    def capture(self, name, n, fn, flat, spec):
        from torch.utils import _pytree

        torch, known = self.torch, self.args.get((name, n), {})
        static, back = list(flat), []
        for k, v in enumerate(flat):
            if self.tensor(v):
                _, stays, written = known.get(k, (0, False, False))
                if not stays:
                    static[k] = torch.empty_strided(v.shape, v.stride(), dtype=v.dtype, device=v.device).copy_(v) \
                        if v.numel() and not any(s == 0 for s in v.stride()) else v.clone()
                    if written:
                        back.append((k, static[k]))
        args, kwargs = _pytree.tree_unflatten(static, spec)
        home, others = self.place(name, n, flat)
        graph, countable = graphs.new_graph(torch)
        pools = self.sides.pools(others)
        devices.wait(torch)
        self.trace.emit("region", name=name, at="enter")
        began, inner = time.monotonic_ns(), None
        try:
            ctx = torch.cuda.graph(graph, stream=self.sides.of(home), capture_error_mode="global")
            ctx.gatebot = True
            with self.run.team.together(f"the capture of {name}"), torch.cuda.device(home), ctx, \
                    self.sides.forked(home, others, pools):
                self.capturing = name
                self.listen.capturing = True
                try:
                    with self.probe.armed(), self.listen.armed_step():
                        out = fn(*args, **kwargs)
                except Exception as e:
                    inner = e
                    raise
                finally:
                    self.capturing, self.listen.capturing = None, False
            if countable and hasattr(graph, "instantiate"):
                graph.instantiate()
        except Exception as e:
            self.failed(name, inner or e, inner is not None and e is not inner and e)
        finally:
            self.trace.emit("region", name=name, at="exit")
        nodes, kinds = graphs.count(graph.raw_cuda_graph()) if countable else (-1, {})
        self.trace.emit("graph", name=name, nodes=nodes, edges=-1, kinds=kinds, launches=-1, bucket=self.key or None,
                        mode="global", dur=time.monotonic_ns() - began, dev=home)
        return Captured(graph, out, back, static, home, others, pools)

    def place(self, name, n, flat):
        """(the device that a region is captured on, the others that it works on): by its arguments and outputs and by the
        tensors of the object it is a method of."""
        torch = self.torch
        given = devices.of(torch, flat)
        on = set(given) | self.on.get((name, n), set())
        if len(devices.used(torch)) == 1:
            pass
        elif name in self.owners:
            on.update(t.device.index for _, t in values.walk(torch, self.owners[name], depth=6) if t.is_cuda)
        else:
            on.update(devices.used(torch))
        at = torch.cuda.current_device()
        home = given[0] if given else min(on) if on and at not in on else at
        return home, sorted(on - {home})

    def failed(self, name, exc, later):
        if isinstance(exc, fault.Fault):
            raise exc
        text = str(exc)
        at = frames.of(exc)
        if isinstance(exc, getattr(self.torch.cuda, "OutOfMemoryError", ())):
            raise fault.of(self.torch, exc, f"capture of {name}")
        code, words = graphs.code(text), watch.brief(exc)
        if isinstance(exc, SystemError) and later and graphs.code(str(later)) == 901:
            # torch warned and raised in one call, and Python kept neither; a refused call is what spoils a capture there
            code, words = 900, "a waiting operation was refused (torch lost its message)"
        elif not code and later:
            code = graphs.code(str(later))
        self.trace.emit("error", source="user", code="capture_failed", of=name, cuda=code or None, frames=at or None,
                        text=words)
        raise ranks.told(Failed(name), over=True) from exc  # the ranks have met over it

    def fill(self, cap, flat):
        for k, v in enumerate(flat):
            s = cap.keep[k]
            if self.tensor(v) and s.data_ptr() != v.data_ptr():
                if s.shape != v.shape or s.dtype != v.dtype:
                    raise fault.Fault("shape_changed", f"argument {k} of a region is {list(v.shape)} now and was "
                                      f"{list(s.shape)} when it was captured", "key the bucket on the shape")
                s.copy_(v)

    def step(self, i, around=contextlib.nullcontext):
        """One step with its regions captured or replayed. around is entered for the step alone, not for prepare."""
        self.key, self.order, self.i = self.run.bucket(i), {}, i
        self.run.prepare(i)
        self.began = self.allocs()
        with around():
            if self.run.regions:
                return self.run.module.step(self.run.state, i)
            if not hasattr(self, "whole"):
                self.whole = self.region(WHOLE, lambda: self.run.module.step(self.run.state, self.i))
            return self.whole()
