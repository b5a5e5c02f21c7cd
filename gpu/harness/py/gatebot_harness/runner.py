"""One state and its steps: built from the same seed every time, so that two runs start equal."""
import contextlib
import gc
import importlib.util
import inspect
import os
import sys

from . import devices, fault, regions, values

SEED = 1234
DETAIL = 8  # steps from the first measured one that are looked at closely, however many are compared


def load(torch, entry, root, needs=("build", "step"), name="gatebot_step_module"):
    """Imports the step module, or another one that has the functions of needs."""
    for p in (root, os.path.dirname(entry)):
        if p not in sys.path:
            sys.path.insert(0, p)
    spec = importlib.util.spec_from_file_location(name, entry)
    if spec is None:
        raise fault.Fault("bad_module", f"{entry} is no Python module", "name a .py file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except BaseException as e:
        if isinstance(e, KeyboardInterrupt):
            raise
        f = fault.of(torch, e, f"importing {os.path.basename(entry)}")
        raise fault.Fault(f.code, str(f), "install what it imports, or run it by itself", at=f.at) from e
    for want in needs:
        if not callable(getattr(module, want, None)):
            raise fault.Fault("bad_module", f"{os.path.basename(entry)} has no function {want}",
                              "a step module needs build(device) and step(state, i)")
    return module


def definition(fn, module):
    """Where a function is defined, as a frame: what is not located elsewhere is said of it."""
    fn = inspect.unwrap(fn)
    code = getattr(getattr(fn, "__func__", fn), "__code__", None)
    if code is None:
        return [{"file": module.__file__, "line": 1, "func": getattr(fn, "__name__", "")}]
    return [{"file": code.co_filename, "line": code.co_firstlineno, "func": getattr(code, "co_qualname", code.co_name)}]


class Runner:
    def __init__(self, torch, trace, module, cfg, team):
        self.torch, self.trace, self.module, self.cfg, self.team = torch, trace, module, cfg, team
        self.device = cfg["device"]
        self.cuda = self.device.startswith("cuda")
        self.state, self.regions, self.structure, self.at = None, {}, {}, -1
        self.detailed = recorded(cfg, plan(cfg)[1])

    def sync(self):
        if not self.cuda:
            return
        try:
            devices.wait(self.torch)
        except Exception as e:  # what a kernel did wrong comes to light here
            raise fault.of(self.torch, e, "work on the device") from e

    def build(self):
        """A fresh state with its regions marked."""
        self.state, self.regions = None, {}
        gc.collect()
        self.torch.manual_seed(SEED)
        with self.team.together("build(device)"):
            try:
                self.state = self.module.build(self.device)
            except Exception as e:
                raise fault.of(self.torch, e, "build(device)") from e
        self.sync()
        found = regions.resolve(self.torch, self.state, self.module, self.cfg["capture"], self.cfg["eager"])
        self.regions = {n: e for n, (_, _, e) in found.items()}
        return found

    def marked(self, found):
        """Wraps the regions so that entering and leaving them is in the trace."""
        for name, (owner, method, eager) in found.items():
            regions.wrap(owner, method, lambda fn, n=name, e=eager: self.mark(fn, n, e), name)

    def mark(self, fn, name, eager):
        def call(*args, **kwargs):
            with self.region(name, eager):
                return fn(*args, **kwargs)
        return call

    @contextlib.contextmanager
    def region(self, name, eager=False):
        """Marks a region, in the steps that are recorded operation by operation: in the others nothing refers to it but
        waits, which have a line."""
        if self.at not in self.detailed:
            yield
            return
        self.trace.emit("region", name=name, at="enter", eager=eager or None)
        try:
            yield
        finally:
            self.trace.emit("region", name=name, at="exit", eager=eager or None)

    def bucket(self, i):
        if not hasattr(self.module, "bucket"):
            return ""
        try:
            key = self.module.bucket(self.state, i)
            hash(key)
        except Exception as e:
            raise fault.of(self.torch, e, f"bucket(state, {i})") from e
        return repr(key)

    def prepare(self, i):
        if hasattr(self.module, "prepare"):
            try:
                self.module.prepare(self.state, i)
            except Exception as e:
                raise fault.of(self.torch, e, f"prepare(state, {i})") from e

    @contextlib.contextmanager
    def step_marks(self, i, mode="eager"):
        self.trace.emit("step", at="enter", i=i, bucket=self.bucket(i) or None, mode=mode)
        self.trace.flush()  # a process that dies in a step has said in which
        try:
            yield
        finally:
            self.trace.emit("step", at="exit", i=i, mode=mode)

    def step(self, i, around=contextlib.nullcontext, before=None):
        """One eager step. around is entered for the step alone, not for prepare; before is called between the two."""
        self.at = i
        with self.team.together(f"step {i}"):
            self.prepare(i)
            if before:
                before(i)
            with self.step_marks(i):
                try:
                    with around():
                        if self.regions:
                            return self.module.step(self.state, i)
                        with self.region(regions.WHOLE):
                            return self.module.step(self.state, i)
                except Exception as e:
                    raise fault.of(self.torch, e, f"step(state, {i})") from e

    def outputs(self, i, value):
        """The named leaves of an output; an output without a tensor, or of another form than before, is a fault."""
        out = dict(values.leaves(self.torch, value))
        tensors = {k for k, v in out.items() if isinstance(v, self.torch.Tensor)}
        if not tensors:
            raise fault.Fault("no_tensor", f"step(state, {i}) returned no tensor but {type(value).__name__}",
                              "return the tensors that the next step or the sampler reads")
        key = self.bucket(i)
        first, before = self.structure.setdefault(key, (i, tensors))
        if before != tensors:
            raise fault.Fault("structure", f"step(state, {i}) returned {sorted(tensors)[:6]} and step(state, {first}) "
                              f"{sorted(before)[:6]}: a graph has one set of outputs",
                              "return the same tensors in every step of a bucket, or key the bucket on what differs")
        return out

    def emit_outputs(self, i, out, mode, reference=None):
        """Reads the outputs of step i into the trace, compared with a reference where there is one. Gives their digests."""
        torch, digests = self.torch, {}
        for name, v in out.items():
            fields = {"name": name, "role": "output", "mode": mode, "i": i}
            if isinstance(v, torch.Tensor):
                fields.update(values.describe(v), digest=values.digest(torch, v))
                want = reference(i, name) if reference else None
                if want is not None and want.shape == v.shape and want.dtype == v.dtype:
                    fields.update(values.differ(torch, v, want))
            elif v is not None:
                fields.update(shape=[], dtype="python:" + type(v).__name__, digest="repr:" + repr(v)[:200])
            else:
                continue
            digests[name] = fields["digest"]
            self.trace.emit("tensor", **fields)
        return digests


def plan(cfg):
    """(warm-up steps, steps that are measured): the last is past every boundary."""
    warmup = max(3, cfg["warmup"])
    last = max([warmup + cfg["steps"] - 1] + [b + 1 for b in cfg["boundaries"]])
    if last > 100_000:
        raise fault.Fault("bad_config", f"step.boundaries reach step {last}", "choose boundaries up to 100000")
    return list(range(warmup)), list(range(warmup, last + 1))


def recorded(cfg, steps):
    """The steps that are recorded operation by operation: the first few and those around each boundary."""
    first = steps[: min(cfg["steps"], DETAIL)]
    near = {s for b in cfg["boundaries"] for s in (b - 1, b, b + 1)}
    return set(first) | (near & set(steps))
