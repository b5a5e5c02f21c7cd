"""reference(state, i) of a step module: what step i is to return, computed in another way. It finds what is wrong in eager
mode too, which no comparison of a replay with it can show."""
from . import devices, fault, values

# What torch.testing allows, by dtype: (relative, absolute).
TOLERANCE = {"torch.float64": (1e-7, 1e-7), "torch.float32": (1.3e-6, 1e-5), "torch.float16": (1e-3, 1e-5),
             "torch.bfloat16": (1.6e-2, 1e-5), "torch.complex64": (1.3e-6, 1e-5), "torch.complex128": (1e-7, 1e-7)}


class Reference:
    def __init__(self, run):
        self.run, self.torch, self.fn = run, run.torch, getattr(run.module, "reference", None)
        self.given = getattr(run.module, "reference_tolerance", None)

    def before(self, i):
        """Called between prepare and the step, which may overwrite what the reference reads. The random numbers that it
        draws are not the step's."""
        if self.fn is None:
            return None
        used = devices.used(self.torch) if self.run.cuda else []
        with self.torch.no_grad(), self.torch.random.fork_rng(devices=used):
            try:
                want = dict(values.leaves(self.torch, self.fn(self.run.state, i)))
            except Exception as e:
                raise fault.of(self.torch, e, f"reference(state, {i})") from e
        # A view of what the step will change is no reference.
        return {k: v.detach().clone() for k, v in want.items() if isinstance(v, self.torch.Tensor)}

    def compare(self, i, out, want):
        for name, w in (want or {}).items():
            got = out.get(name)
            if not isinstance(got, self.torch.Tensor):
                raise fault.Fault("bad_module", f"reference(state, {i}) returns {name}, which step does not",
                                  "return tensors in the same structure as step, or fewer of them")
            fields = {"name": name, "role": "reference", "mode": "eager", "i": i, **values.describe(got)}
            if got.shape != w.shape:
                raise fault.Fault("bad_module", f"reference(state, {i}) returns {name} as {list(w.shape)} and step as "
                                  f"{list(got.shape)}", "return tensors of the same shapes as step")
            rtol, atol = self.given or TOLERANCE.get(str(got.dtype), (0, 0))
            fields.update(far(self.torch, got.detach(), w.to(got.device), rtol, atol))
            self.run.trace.emit("tensor", **fields)


def far(torch, got, want, rtol, atol):
    """The fields of a comparison: how many elements are further apart than allowed, by how much, and the first of them."""
    wide = torch.complex128 if got.is_complex() else torch.float64
    a, b = got.to(wide), want.to(wide)
    bad = ~torch.isclose(a, b, rtol=rtol, atol=atol, equal_nan=True)
    count = int(bad.sum())
    if not count:
        return {}
    gap = (a - b).abs().nan_to_num(0.0, 0.0, 0.0)
    return {"bad": count, "max_abs": float(gap.max()), "first_at": bad.nonzero()[0].tolist()}
