"""What a step must not depend on, where the configuration says so (step.invariance): the order of its rows, its neighbours
in the batch, and what lies in scratch memory before it. A wrong stride or a view that reaches too far computes the same
wrong numbers eagerly and replayed; here it computes different ones."""
import hashlib

from . import enters, fault, regions, runner, values
from .expected import TOLERANCE, far

KEEP = 256 << 20  # bytes of plain outputs that are kept to compare with


class Plain:
    """The outputs of the first plain steps, kept while they are made."""

    def __init__(self, phases):
        self.torch, self.on = phases.torch, bool(phases.cfg["invariance"])
        self.steps = set(phases.warmup + phases.steps[: runner.DETAIL])
        self.kept, self.size = {}, 0

    def keep(self, i, out):
        if not self.on or i not in self.steps:
            return
        tensors = {k: v for k, v in out.items() if isinstance(v, self.torch.Tensor)}
        self.size += sum(v.nbytes for v in tensors.values())
        if self.size <= KEEP or not self.kept:
            self.kept[i] = {k: v.detach().cpu().clone() for k, v in tensors.items()}


def tensors(torch, state, globs, key):
    """The tensors of the state that attribute paths name; '*' is one step of a path."""
    found = []
    for glob in globs:
        level = [("", state)]
        for part in glob.split("."):
            if part == "*":
                level = [(f"{n}.{k}", v) for n, o in level for k, v in regions.children(torch, o) if v is not None]
            else:
                level = [(f"{n}.{part}", v) for n, o in level if (v := regions.child(torch, o, part)) is not None]
        hits = [(n.lstrip("."), v) for n, v in level if isinstance(v, torch.Tensor)]
        if not hits:
            raise fault.Fault("bad_config", f"step.invariance.{key}: {glob!r} names no tensor of the state that build returned",
                              "check the attribute path")
        found += hits
    return found


class Invariance:
    def __init__(self, phases, plain):
        self.p, self.torch, self.trace, self.plain = phases, phases.torch, phases.trace, plain

    def all(self):
        asked = self.p.cfg["invariance"]
        if asked.get("batch"):
            self.steps("its rows in another order", lambda: Rows(self, lambda n: [n - 1, *range(n - 1)], whole=True))
            self.steps("its first row alone, all others being copies of it", lambda: Rows(self, lambda n: [0] * n, whole=False))
        if asked.get("scratch"):
            self.steps("other values in its scratch memory", lambda: Scratch(self))

    def tensors(self, key):
        return tensors(self.torch, self.p.run.state, self.p.cfg["invariance"][key], key)

    def guarded(self, change):
        """What alters the state between prepare and a step."""
        def before(i):
            try:
                with self.torch.no_grad():
                    change.alter(i)
            except Exception as e:
                raise fault.of(self.torch, e, f"step.invariance ({change.key})") from e
        return before

    def steps(self, label, make):
        """The steps again under a change, and where the first that differs begins to."""
        self.trace.emit("measure", name="reference", of=label, unit="count", value=1)
        self.p.start()
        run, change, wrong = self.p.run, make(), []
        for i in sorted(self.plain.kept):
            out = run.outputs(i, run.step(i, before=self.guarded(change)))
            run.sync()
            change.after()
            for name, want in self.plain.kept[i].items():
                got = out[name]
                fields = change.compare(got.detach(), want.to(got.device))
                if fields is not None:
                    wrong += [i] if fields.get("bad") else []
                    self.trace.emit("tensor", name=name, role="reference", against=label, mode="eager", i=i,
                                    **values.describe(got), **fields)
        first = [i for i in self.p.team.vote(f"the steps that differ with {label}", wrong[0] if wrong else -1) if i >= 0]
        if first:
            self.enters(label, min(first), make)

    def enters(self, label, i, make):
        """Says where. That it cannot be said takes nothing from what was found."""
        try:
            found = enters.locate(self, i, make)
            text, frames = found or ("no operation was found where it begins", None)
        except fault.Fault as f:
            text, frames = f"where it begins was not found: {f}", None
        except Exception as e:
            text, frames = f"where it begins was not found: {type(e).__name__}: {e}", None
        self.trace.emit("warning", source="harness.enters", of=label, text=text[:500], frames=frames)


class Rows:
    """The rows of a batch in another order, or all of them as the first."""
    key = "batch"

    def __init__(self, inv, order, whole):
        self.torch, self.whole, self.found, self.versions = inv.torch, whole, inv.tensors(self.key), {}
        sizes = {t.shape[0] if t.dim() else 0 for _, t in self.found}
        if len(sizes) != 1 or min(sizes) < 2:
            raise fault.Fault("bad_config", "step.invariance.batch: " + ", ".join(f"{n} is {list(t.shape)}" for n, t in self.found),
                              "name tensors of one batch: the first dimension has to be the same, and at least 2")
        self.n = sizes.pop()
        self.order = order(self.n)

    def moved(self, t, dim=0):
        return t.index_select(dim, self.torch.tensor(self.order, device=t.device))

    def alter(self, i):
        """All of them once; afterwards those that prepare wrote anew."""
        for name, t in self.found:
            if self.versions.get(name) != t._version:
                t.copy_(self.moved(t))

    def after(self):
        self.versions = {name: t._version for name, t in self.found}  # what the step wrote is in order already

    def compare(self, got, want):
        if not got.dim() or got.shape[0] != self.n or got.shape != want.shape:
            return None  # it has no rows
        want = self.moved(want)
        if not self.whole:
            got, want = got[:1], want[:1]
        rtol, atol = TOLERANCE.get(str(got.dtype), (0, 0))
        return {"rtol": rtol or None, "atol": atol or None, **far(self.torch, got, want, rtol, atol)}

    def right(self, was, now):
        """Whether a value inside the step is what it was, or follows the rows along one of its dimensions."""
        if was.shape != now.shape or was.dtype != now.dtype:
            return ""
        same = near(self.torch, was, now)
        return ("both" if same else "moved") if self.follows(was, now) else "same" if same else ""

    def follows(self, was, now):
        for d, size in enumerate(was.shape):
            if size % self.n or not size:
                continue
            for at, form in ((d, (self.n, size // self.n)), (d + 1, (size // self.n, self.n))):
                a, b = self.moved(was.unflatten(d, form), at), now.unflatten(d, form)
                if not self.whole:
                    a, b = a.narrow(at, 0, 1), b.narrow(at, 0, 1)
                if near(self.torch, a, b):
                    return True
        return False


class Scratch:
    """Other values in memory that a step is to write before it reads it."""
    key = "scratch"

    def __init__(self, inv):
        self.torch, self.found = inv.torch, inv.tensors(self.key)

    def alter(self, i):
        for name, t in self.found:
            t.copy_(self.other(t, f"{name} {i}"))

    def after(self):
        pass

    def compare(self, got, want):
        if got.shape != want.shape or got.dtype != want.dtype:
            return {"bad": -1, "wanted": f"{want.dtype}{list(want.shape)}"}
        return values.differ(self.torch, got, want)

    def right(self, was, now):
        return "both" if self.compare(now, was) == {} else ""

    def other(self, t, words):
        """Finite numbers for floating point. Integers may be indices: they are shuffled and none is made up. The generator
        is our own: the step's random numbers stay what they are."""
        torch = self.torch
        seed = int.from_bytes(hashlib.sha256(words.encode()).digest()[:6], "little")
        g = torch.Generator().manual_seed(seed)
        if t.is_floating_point() or t.is_complex():
            wide = torch.randn(t.shape, generator=g)
            return wide.to(t.device).to(t.dtype)
        return t.reshape(-1)[torch.randperm(t.numel(), generator=g).to(t.device)].view(t.shape)


def near(torch, a, b):
    rtol, atol = TOLERANCE.get(str(a.dtype), (0, 0))
    if rtol:
        return bool(torch.isclose(b, a, rtol=rtol, atol=atol, equal_nan=True).all())
    return not values.differ(torch, b, a)
