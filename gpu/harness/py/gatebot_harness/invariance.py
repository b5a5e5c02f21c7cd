"""What a step must not depend on, where the configuration says so (step.invariance): the order of its rows, its neighbours
in the batch, and what lies in scratch memory before it. A wrong stride or a view that reaches too far computes the same
wrong numbers eagerly and replayed; here it computes different ones."""
import hashlib

from . import fault, regions, runner, values
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
            self.rows("its rows in another order", lambda n: [n - 1, *range(n - 1)], whole=True)
            self.rows("its first row alone, all others being copies of it", lambda n: [0] * n, whole=False)
        if asked.get("scratch"):
            self.scratch("other values in its scratch memory")

    def steps(self, label, alter, compare):
        """The steps again, with alter called between prepare and each step."""
        self.trace.emit("measure", name="reference", of=label, unit="count", value=1)
        run = self.p.run

        def before(i):
            try:
                with self.torch.no_grad():
                    alter(i)
            except Exception as e:
                raise fault.of(self.torch, e, f"step.invariance ({label})") from e

        for i in sorted(self.plain.kept):
            out = run.outputs(i, run.step(i, before=before))
            run.sync()
            for name, want in self.plain.kept[i].items():
                got = out[name]
                fields = compare(got.detach(), want.to(got.device))
                if fields is not None:
                    self.trace.emit("tensor", name=name, role="reference", against=label, mode="eager", i=i,
                                    **values.describe(got), **fields)

    def rows(self, label, order, whole):
        torch = self.torch
        self.p.start()
        found = tensors(torch, self.p.run.state, self.p.cfg["invariance"]["batch"], "batch")
        sizes = {t.shape[0] if t.dim() else 0 for _, t in found}
        if len(sizes) != 1 or min(sizes) < 2:
            raise fault.Fault("bad_config", "step.invariance.batch: " + ", ".join(f"{n} is {list(t.shape)}" for n, t in found),
                              "name tensors of one batch: the first dimension has to be the same, and at least 2")
        n = sizes.pop()
        versions = {}

        def alter(i):
            """All of them once; afterwards those that prepare wrote anew."""
            for name, t in found:
                if versions.get(name) != t._version:
                    t.copy_(t[torch.tensor(order(n), device=t.device)])

        def compare(got, want):
            versions.update((name, t._version) for name, t in found)  # what the step wrote is in order already
            if not got.dim() or got.shape[0] != n or got.shape != want.shape:
                return None  # it has no rows
            want = want[torch.tensor(order(n), device=want.device)]
            if not whole:
                got, want = got[:1], want[:1]
            rtol, atol = TOLERANCE.get(str(got.dtype), (0, 0))
            return {"rtol": rtol or None, "atol": atol or None, **far(torch, got, want, rtol, atol)}

        self.steps(label, alter, compare)

    def scratch(self, label):
        torch = self.torch
        self.p.start()
        found = tensors(torch, self.p.run.state, self.p.cfg["invariance"]["scratch"], "scratch")

        def alter(i):
            for name, t in found:
                t.copy_(self.other(t, f"{name} {i}"))

        def compare(got, want):
            if got.shape != want.shape or got.dtype != want.dtype:
                return {"bad": -1, "wanted": f"{want.dtype}{list(want.shape)}"}
            return values.differ(torch, got, want)

        self.steps(label, alter, compare)

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
