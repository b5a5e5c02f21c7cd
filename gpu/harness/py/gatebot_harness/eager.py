"""The phases that run eagerly: reference, sync, drift, alloc. Each starts from a fresh state."""
import contextlib
import time

from . import against, cover, devices, expected, fault, invariance, ranks, runner, values, watch
from .probe import Probe
from .ops import Recorder
from .runner import DETAIL

BUDGET = {"sync": 60.0, "drift": 30.0}  # seconds of plain steps; what a long run of slow steps is cut down to
RECORDING = 15.0  # seconds of steps recorded operation by operation, after which three such steps are enough
STACKS = 3  # steps whose allocations are recorded with their stacks
KEEP = 256 << 20  # bytes of reference outputs that are kept for comparison; beyond it digests alone decide


class Phases:
    def __init__(self, torch, trace, cfg, root, module, listen, team):
        self.torch, self.trace, self.cfg, self.root, self.listen, self.team = torch, trace, cfg, root, listen, team
        self.run, self.probe = runner.Runner(torch, trace, module, cfg, team), Probe()
        self.warmup, self.steps = runner.plan(cfg)
        self.kept, self.digests = {}, {}

    @contextlib.contextmanager
    def phase(self, name):
        """A phase that raises is failed; the next one starts unless the context is beyond use."""
        self.trace.emit("phase", name=name, at="enter")
        status, reason = "ok", None
        try:
            yield
            self.team.agree(f"the end of {name}")
        except fault.Fault as f:
            fault.emit(self.trace, f)
            status, reason = "failed", str(f)[:300]
            end = ranks.over(f) or name == "eager"
            self.team.leave(name, f, end)
            if end:
                raise Over() from f
        finally:
            self.trace.emit("phase", name=name, at="exit", status=status, reason=reason)
            self.trace.flush()

    def start(self):
        found = self.run.build()
        self.run.marked(found)

    def warm(self):
        for i in self.warmup:
            self.run.step(i)
        self.run.sync()

    def all(self):
        self.trace.emit("measure", name="first_step", unit="count", value=self.steps[0])
        self.trace.emit("warning", source="harness.definition", text="the step", frames=runner.definition(self.run.module.step, self.run.module))
        if self.cfg["sync_all"] and wanted(self.cfg, "sync"):
            self.trace.emit("measure", name="sync_all", unit="count", value=len(self.steps) - 1)  # the first is captured
        with self.phase("eager"):
            self.reference()
        if self.cfg["invariance"]:
            with self.phase("invariance"):
                invariance.Invariance(self, self.plain).all()
            self.plain = None
        if not self.run.cuda:
            return
        for name, body in (("sync", self.sync), ("drift", self.drift), ("alloc", self.alloc)):
            if wanted(self.cfg, name):
                with self.phase(name):
                    body()

    def reference(self):
        """Every step from the first, its outputs read."""
        self.start()
        size, ref, want, began = 0, expected.Reference(self.run), {}, 0
        other, self.plain = against.Against(self.run, self.cfg["against"]), invariance.Plain(self)
        for i in self.warmup + self.steps:
            began = began or i == self.steps[0] and time.monotonic()
            out = self.run.outputs(i, self.run.step(i, before=lambda i: want.update({i: ref.before(i)})))
            self.run.sync()
            ref.compare(i, out, want.pop(i))
            other.compare(i, out)
            self.plain.keep(i, out)
            self.digests[i] = self.run.emit_outputs(i, out, "eager")
            size += sum(v.nbytes for v in out.values() if isinstance(v, self.torch.Tensor))
            if size <= KEEP:
                self.kept[i] = {k: v.detach().cpu().clone() for k, v in out.items() if isinstance(v, self.torch.Tensor)}
        self.pace = (time.monotonic() - began) / len(self.steps)
        if self.cfg["reference"]:
            self.torch.save({"digests": self.digests, "tensors": self.kept if size <= KEEP else {}}, self.cfg["reference"])
        self.kept = {}

    def within(self, phase):
        """The steps that a phase has time for, the same ones in every rank. The trace says what is left out."""
        fit = min(self.team.vote(f"the steps of {phase}", max(len(self.steps[:DETAIL]), int(BUDGET[phase] / max(self.pace, 1e-6)))))
        if fit < len(self.steps):
            self.trace.emit("warning", source="harness.shortened", text=f"steps {self.steps[0]} to {self.steps[fit - 1]} were "
                            f"looked at, and not those up to {self.steps[-1]}: a step takes {self.pace:.2g} s")
        return self.steps[:fit]

    def sync(self):
        """Every step again under torch's sync-debug mode. The outputs are read with the mode off: two eager runs that
        differ make a comparison with a replay worthless."""
        self.start()
        want = runner.recorded(self.cfg, self.steps)

        @contextlib.contextmanager
        def armed():
            with self.probe.armed(brief=self.run.at not in want), self.listen.armed_step():
                yield

        with self.listen.python_warnings(), self.listen.stderr():
            for i in self.warmup + self.within("sync"):
                out = self.run.step(i, armed if i in self.steps else contextlib.nullcontext)
                self.run.sync()
                self.run.emit_outputs(i, self.run.outputs(i, out), "eager")

    def drift(self):
        """What each step asks of the device, and which lines it runs."""
        self.start()
        self.warm()
        for name, eager in self.run.regions.items():  # what lies between them may differ from step to step
            self.trace.emit("measure", name="region", of=name, unit="count", value=0 if eager else 1)
        rec = Recorder(self.torch, self.trace, self.root, self.probe)
        lines = cover.Lines(self.trace, self.root)
        want = runner.recorded(self.cfg, self.steps)

        spent = [0.0, 0]  # seconds and steps of recording: a step of many operations is not looked at eight times

        @contextlib.contextmanager
        def recording():
            began = time.monotonic()
            with rec.mode(), self.probe.armed(), lines.on():
                rec.on = True
                self.probe.launch_frames(True)
                try:
                    yield
                finally:
                    rec.on = False
                    spent[:] = spent[0] + time.monotonic() - began, spent[1] + 1

        steps = self.within("drift")
        last = max(want & set(steps))
        for i in steps:
            close = i in want and (spent[0] < RECORDING or spent[1] < 3)
            self.run.step(i, recording if close else contextlib.nullcontext)
            rec.step(i, self.run.bucket(i))
            if i == last:
                break
        self.run.sync()
        lines.tell()

    def alloc(self):
        """What each step takes from and gives back to the allocators, with the lines that asked, and which tensors of the
        state lie elsewhere after it."""
        torch, mem = self.torch, self.torch.cuda.memory
        self.start()
        self.warm()
        steps = self.steps[: min(self.cfg["steps"], DETAIL)]
        keys = {"allocs": "allocation.all.allocated", "alloc_bytes": "allocated_bytes.all.allocated",
                "segments": "segment.all.allocated", "segments_freed": "segment.all.freed"}
        mem._record_memory_history("all", context="all", stacks="python", max_entries=100_000)
        pinned_steps, where = [], {}
        self.moves(where, steps[0] - 1)
        try:
            for k, i in enumerate(steps):
                if k == STACKS:
                    self.run.sync()
                    self.history(mem._snapshot()["device_traces"])
                    mem._record_memory_history(None)
                before, host = counts(torch, keys.values()), pinned(torch)
                self.listen.stepping = True
                out = self.run.step(i, lambda: self.probe.armed(brief=True))
                self.listen.stepping = False
                after, host_after = counts(torch, keys.values()), pinned(torch)
                del out
                self.moves(where, i)
                for name, key in keys.items():
                    self.trace.emit("measure", name=name, unit="count" if name != "alloc_bytes" else "bytes", of=str(i),
                                    value=after[key] - before[key])
                if host is not None:
                    self.trace.emit("measure", name="pinned", unit="count", of=str(i), value=host_after - host)
                    if host_after > host:
                        pinned_steps.append(i)
            self.run.sync()
            if len(steps) <= STACKS:
                self.history(mem._snapshot()["device_traces"])
        finally:
            mem._record_memory_history(None)
        if any(self.team.vote("pinned memory", bool(pinned_steps))):
            self.pinned_lines(steps[-1])

    def moves(self, where, i):
        """Tells which tensors of the state have other memory than before."""
        for path, t in values.walk(self.torch, self.run.state):
            if not t.is_cuda or t.layout != self.torch.strided:
                continue
            ptr = t.data_ptr()
            if where.setdefault(path, ptr) != ptr:
                self.trace.emit("tensor", name=path, role="state", mode="eager", i=i, ptr=hex(ptr), **values.describe(t))
                where[path] = ptr

    def history(self, traces):
        """The allocator's own log. Its frames are innermost first; those of the harness are cut."""
        from . import frames as fr

        ops = {"free_requested": None, "free_completed": None, "snapshot": None}
        shift = time.time_ns() - time.monotonic_ns()
        for device, entries in enumerate(traces):
            for e in entries:
                op = ops.get(e["action"], e["action"])
                if op is None:
                    continue
                # The log has wall time; the trace's clock says in which step it was.
                t = e["time_us"] * 1000 - shift if e.get("time_us") else None
                fs = [{"file": f["filename"], "line": f["line"], "func": f["name"]} for f in e.get("frames", ())
                      if not fr.ours(f["filename"])]
                keep = next((k for k, f in enumerate(fs) if self.root.has(f["file"])), 0)
                self.trace.emit("alloc", op=op, bytes=e["size"], ptr=hex(e.get("addr", 0)), stream=hex(e.get("stream", 0)),
                                t=t, dev=device, frames=fs[keep: keep + 4] or None)

    def pinned_lines(self, i):
        """Pinned memory has no history. One more step, line by line, says which lines take it."""
        self.run.prepare(i)
        for at, n in watch.attribute(self.root, lambda: pinned(self.torch), lambda: self.run.module.step(self.run.state, i)):
            self.trace.emit("alloc", op="pin", bytes=0, frames=at)
        self.run.sync()


def wanted(cfg, check):
    """Whether a check is asked for. A long run need not pay for what nobody looks at."""
    return not cfg["checks"] or check in cfg["checks"]


class Over(Exception):
    """The process cannot go on; why is in the trace."""


def counts(torch, keys):
    """The allocator's counters, over all devices that the process uses."""
    stats = [torch.cuda.memory_stats(d) for d in devices.used(torch)]
    return {k: sum(s.get(k, 0) for s in stats) for k in keys}


def pinned(torch):
    """How many pinned blocks were handed out so far; None where torch does not count them."""
    try:
        return torch.cuda.host_memory_stats()["active_requests.allocated"]
    except Exception:
        return None
