"""The phases that capture: capture, replay, speed. A failed capture can leave the context unusable, so that this process
ends at the first one; the next is started without that region."""
import contextlib
import gc
import os
import statistics
import time

from . import devices, fault, ranks, runner, values
from .eager import Over, wanted
from .session import Failed, Session

ROUNDS = 9
SPEED_STEPS = 16
SPEED_SECONDS = 8.0


class Phases:
    def __init__(self, torch, trace, cfg, root, module, listen, team):
        self.torch, self.trace, self.cfg, self.listen, self.module, self.team = torch, trace, cfg, listen, module, team
        self.run = runner.Runner(torch, trace, module, cfg, team)
        self.warmup, self.steps = runner.plan(cfg)
        self.kept, self.digests, self.wrong = {}, {}, False

    def all(self):
        if self.cfg["reference"] and os.path.exists(self.cfg["reference"]):
            saved = self.torch.load(self.cfg["reference"])
            self.kept, self.digests = saved["tensors"], saved["digests"]
        with self.listen.python_warnings():
            self.phase("capture", self.capture)
            self.phase("replay", self.replay)
            if not wanted(self.cfg, "speed"):
                return
            if any(self.team.vote("the result of the replay", self.wrong)):
                # A wrong step may index where nothing is, and its time says nothing.
                self.trace.emit("phase", name="speed", at="enter")
                self.trace.emit("phase", name="speed", at="exit", status="skipped", reason="the replay is wrong, so it was not timed")
            else:
                self.phase("speed", self.speed)

    def phase(self, name, body):
        self.trace.emit("phase", name=name, at="enter")
        status, reason = "ok", None
        try:
            body()
            self.team.agree(f"the end of {name}")
        except Failed as f:
            status, reason = "failed", f"region {f} cannot be captured"
            self.team.leave(name, f, over=True)
            raise Over() from f
        except Exception as e:
            if isinstance(e, Over):
                raise
            f = e if isinstance(e, fault.Fault) else fault.of(self.torch, e, name)
            fault.emit(self.trace, f)
            status, reason = "failed", str(f)[:300]
            self.team.leave(name, e, over=True)
            raise Over() from e
        finally:
            self.trace.emit("phase", name=name, at="exit", status=status, reason=reason)
            self.trace.flush()

    def capture(self):
        """Warm-up on the stream that captures, then the first measured step: each region is captured at its call and
        replayed at once, so that what follows it in the step has its outputs."""
        torch = self.torch
        found = self.run.build()
        self.session = Session(self.run, self.listen, self.cfg["skip"])
        where = {n: runner.definition(getattr(o, m), self.module) for n, (o, m, _) in found.items()}
        self.session.wrap_all(found)
        for name, (_, _, eager) in (found or {"step": (None, None, False)}).items():
            self.trace.emit("measure", name="region", of=name, unit="count", value=0 if eager else 1)
        for name, frames in where.items():
            self.trace.emit("warning", source="harness.region", text=name, frames=frames)
        with self.session.sides.current(devices.used(torch)):
            for i in self.warmup:
                with self.team.together(f"step {i}"):
                    out = self.session.step(i)
                self.run.outputs(i, out)
        devices.wait(torch)
        self.snapshot = self.snap(self.run.state)
        self.session.live = True
        # torch collects garbage before each capture. What there is now lives as long as the process: with a hundred regions
        # to capture, looking through all of it again each time costs more than the captures.
        gc.collect()
        gc.freeze()
        self.first = self.one(self.steps[0])

    def one(self, i):
        """One replayed step, its outputs copied before the next one overwrites them."""
        with self.team.together(f"step {i}"), self.run.step_marks(i, "replay"):
            # The first step captures; the others are as they are in production.
            counted = i in self.run.detailed and i != self.steps[0]
            around = self.armed if self.cfg["sync_all"] and i != self.steps[0] else contextlib.nullcontext
            out = (self.session.counted if counted else self.session.step)(i, around)
        devices.wait(self.torch)
        return {k: v.detach().clone() if isinstance(v, self.torch.Tensor) else v for k, v in self.run.outputs(i, out).items()}

    @contextlib.contextmanager
    def armed(self):
        """Around a replayed step: waits between the graphs, in every step. Recording them is cheap where there are none."""
        with self.session.probe.armed(brief=True), self.listen.armed_step():
            yield

    def replay(self):
        for i in self.steps:
            out = self.first if i == self.steps[0] else self.one(i)
            got = self.run.emit_outputs(i, out, "replay", lambda i, name: self.kept.get(i, {}).get(name))
            self.wrong = self.wrong or got != self.digests.get(i)

    def snap(self, state):
        """Copies of the tensors that a step may change, to start several runs from one point; None when they do not fit."""
        held = [t for _, t in values.walk(self.torch, state)
                if not isinstance(t, self.torch.nn.Parameter) and t.is_cuda and t.layout == self.torch.strided]
        size = {}
        for t in held:
            size[t.device.index] = size.get(t.device.index, 0) + t.nbytes
        if any(n > self.torch.cuda.mem_get_info(d)[0] // 4 for d, n in size.items()):
            return None
        return [(t, t.detach().clone()) for t in held]

    def restore(self, snapshot):
        with self.torch.no_grad():
            for t, s in snapshot:
                if t.numel() and not any(n == 0 for n in t.stride()):
                    t.detach().copy_(s)

    def speed(self):
        """Eager and replayed blocks in turn, each from the state after warm-up."""
        if any(self.team.vote("the size of the state", self.snapshot is None)):
            self.trace.emit("warning", source="harness", text="speed: the state is too large to be restored between runs")
            return
        plain = runner.Runner(self.torch, self.trace, self.module, self.cfg, self.team)
        plain.build()

        def eager(i):
            plain.prepare(i)
            self.module.step(plain.state, i)

        for i in self.warmup:
            t = time.perf_counter()
            eager(i)
            devices.wait(self.torch)
            t = time.perf_counter() - t
        # Slow steps are timed in smaller blocks; the number of rounds, which the spread is of, stays. Ranks differ in what
        # they measure and have to do the same.
        blocks = self.team.vote("the length of a block", max(4, min(SPEED_STEPS, int(SPEED_SECONDS / ROUNDS / max(t, 1e-6)))))
        steps = self.steps[: min(blocks)]
        before = self.snap(plain.state)
        if any(self.team.vote("the size of a second state", before is None)):
            self.trace.emit("warning", source="harness", text="speed: the state is too large to be restored between runs")
            return
        samples = {"step_eager": [], "step_replay": []}
        for r in range(ROUNDS + 1):
            for name, snapshot, fn in (("step_eager", before, eager), ("step_replay", self.snapshot, self.session.step)):
                self.restore(snapshot)
                devices.wait(self.torch)
                t = time.perf_counter()
                for i in steps:
                    fn(i)
                devices.wait(self.torch)
                if r:  # the first round warms up
                    samples[name].append((time.perf_counter() - t) / len(steps) * 1e6)
        for name, s in samples.items():
            self.trace.emit("measure", name=name, unit="us", value=statistics.median(s), samples=s)
