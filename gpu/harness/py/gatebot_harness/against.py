"""Another module, or the same one at another commit, run through the same steps from the same seed: what it returns is what
the step is to return. It runs in a process of its own, since two commits have modules of the same names; its outputs are
left in a folder, one file a step, and the process of the step reads them."""
import json
import os
import sys
import types

from . import fault, frames, runner, values
from .expected import TOLERANCE, far

KEEP = 4 << 30  # bytes of outputs that are kept on disk; of what comes after that there are digests alone


def load(torch, cfg):
    """The module that says what is right. One without build works on the state that the step module builds."""
    try:
        module = runner.load(torch, cfg["entry"], cfg["root"], needs=(cfg["step"],))
        own = callable(getattr(module, "build", None))
        host = module if own else runner.load(torch, cfg["fallback"], cfg["root"], name="gatebot_fallback_module")
    except fault.Fault as f:
        raise named(cfg, f) from f
    both = types.SimpleNamespace(__file__=cfg["entry"], step=getattr(module, cfg["step"]), build=host.build)
    for name in ("prepare", "bucket"):
        if hasattr(host, name):
            setattr(both, name, getattr(host, name))
    return both


def named(cfg, f):
    return fault.Fault(f.code, f"reference {cfg['label']}: {f}", f.hint, f.source, f.at)


class Phases:
    """The process that runs the reference."""

    def __init__(self, torch, trace, cfg, module, team):
        self.torch, self.trace, self.cfg, self.team = torch, trace, cfg, team
        self.run = runner.Runner(torch, trace, module, cfg, team)
        self.run.detailed = set()  # nobody looks into its regions
        self.warmup, self.steps = runner.plan(cfg)

    def all(self):
        self.trace.emit("phase", name="reference", at="enter")
        status, reason = "ok", None
        try:
            self.go()
            self.team.agree("the end of reference")
        except fault.Fault as f:
            f = named(self.cfg, f)
            fault.emit(self.trace, f)
            status, reason = "failed", str(f)[:300]
            self.team.leave("reference", f, over=True)
        finally:
            self.trace.emit("phase", name="reference", at="exit", status=status, reason=reason)
            self.trace.flush()

    def go(self):
        self.run.build()
        digests, size, folder = {}, 0, self.cfg["outputs"]
        os.makedirs(folder, exist_ok=True)
        for i in self.warmup + self.steps:
            out = self.run.outputs(i, self.run.step(i))
            self.run.sync()
            tensors = {k: v.detach() for k, v in out.items() if isinstance(v, self.torch.Tensor)}
            digests[i] = {k: [str(v.dtype), list(v.shape), values.digest(self.torch, v)] for k, v in tensors.items()}
            size += sum(v.nbytes for v in tensors.values())
            if size <= KEEP:
                self.torch.save({k: v.cpu().clone() for k, v in tensors.items()}, os.path.join(folder, f"{i}.pt"))
        self.strangers()
        with open(os.path.join(folder, "digests.json"), "w", encoding="utf-8") as f:
            json.dump(digests, f)

    def strangers(self):
        """Refuses a base commit that took its modules from the tree that is compared with it."""
        if not self.cfg["foreign"]:
            return
        there = frames.Root(self.cfg["foreign"])
        for name, m in sorted(sys.modules.items()):
            file = getattr(m, "__file__", None)
            if file and there.has(file) and not frames.ours(file):
                raise fault.Fault("bad_module", f"module {name} comes from {file}, which is the tree that is checked",
                                  "import it by a path below the root: an editable installation points at one tree only")


class Against:
    """In the process of the step: compares its outputs with those of the reference."""

    def __init__(self, run, cfg):
        self.run, self.torch, self.cfg = run, run.torch, cfg
        self.digests = {}
        if cfg is None:
            return
        # What was asked for and not compared is no pass: the check looks for this.
        run.trace.emit("measure", name="reference", of=cfg["label"], unit="count", value=1)
        try:
            with open(os.path.join(cfg["outputs"], "digests.json"), encoding="utf-8") as f:
                self.digests = {int(i): d for i, d in json.load(f).items()}
        except FileNotFoundError:
            pass  # its own process has said why

    def compare(self, i, out):
        if i not in self.digests:
            return
        file = os.path.join(self.cfg["outputs"], f"{i}.pt")
        kept = self.torch.load(file, map_location="cpu") if os.path.exists(file) else {}
        for name, (dtype, shape, digest) in self.digests[i].items():
            fields = {"name": name, "role": "reference", "against": self.cfg["label"], "mode": "eager", "i": i}
            got = out.get(name)
            if not isinstance(got, self.torch.Tensor):
                fields.update(shape=[], dtype="", bad=-1, wanted=f"{dtype}{shape}")
            else:
                fields.update(values.describe(got))
                fields.update(self.differ(got, kept.get(name), dtype, shape, digest))
            self.run.trace.emit("tensor", **fields)

    def differ(self, got, want, dtype, shape, digest):
        """The fields of a comparison: bad is the number of wrong elements, -1 where they cannot be counted."""
        torch, given = self.torch, self.cfg["tolerance"]
        exact = given == "exact"
        if list(got.shape) != shape or exact and str(got.dtype) != dtype:
            return {"bad": -1, "wanted": f"{dtype}{shape}"}
        if exact:
            if values.digest(torch, got) == digest:
                return {}
            return values.differ(torch, got, want) if want is not None else {"bad": -1}
        if want is None:
            raise fault.Fault("too_large", f"the outputs of the reference take more than {KEEP >> 30} GiB, and a tolerance needs them",
                              "return fewer tensors, compare fewer steps, or compare bit for bit")
        rtol, atol = TOLERANCE.get(str(got.dtype), (0, 0)) if given == "dtype" else given
        return {"rtol": rtol or None, "atol": atol or None, **far(torch, got.detach(), want.to(got.device), rtol, atol)}
