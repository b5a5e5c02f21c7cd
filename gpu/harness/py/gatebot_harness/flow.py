"""What one step computes, operation by operation, beside what it computed before: which operands and results are as they
should be. The first pass keeps the values; the second one compares and keeps who wrote what, with the lines."""
import contextlib
import sys

from . import frames as fr

BUDGET = 2 << 30  # bytes of values that are kept
OTHER = "the step does other operations with it"
LARGE = 64 << 20  # bytes of an operand that is not read unless the step wrote it: weights


class NotFollowed(Exception):
    """Why a step cannot be compared operation by operation."""


class Value:
    """An operand or a result: which tensor it is, which memory it covers, and what is right about it: nothing (""), that it
    is what it was ("same"), that it follows the change ("moved"), or "both"."""
    __slots__ = ("id", "memory", "start", "end", "strides", "written", "right")

    def __init__(self, t, written=False):
        self.id, self.memory = id(t), memory(t)
        self.start = t.storage_offset() * t.element_size()
        span = sum((n - 1) * s for n, s in zip(t.shape, t.stride())) + 1 if t.numel() else 0
        self.end = self.start + span * t.element_size()
        self.strides = list(zip(t.shape, t.stride()))
        self.written, self.right = written, "both"

    def meets(self, other):
        return self.memory == other.memory and self.start < other.end and other.start < self.end

    def repeats(self):
        """Whether one element stands for several: a stride of 0."""
        return any(n > 1 and s == 0 for n, s in self.strides)


class Op:
    __slots__ = ("name", "ins", "outs", "stack", "kept")

    def __init__(self, name):
        self.name, self.ins, self.outs, self.stack, self.kept = name, [], [], [], None


class Flow:
    """One pass over a step. With before, the pass that this one is compared with, right(was, value) says what is
    right about a value."""

    def __init__(self, torch, root, before=None, right=None, altered=()):
        self.torch, self.root, self.before, self.right = torch, root, before, right
        self.altered = {memory(t) for t in altered}
        self.ops, self.alive, self.cache, self.size, self.writes = [], [], {}, 0, {}

    def ours(self, x):
        return isinstance(x, self.torch.Tensor) and x.layout == self.torch.strided and not x.is_meta

    def tensors(self, args):
        found, left = [], [args]
        while left:
            a = left.pop()
            if self.ours(a):
                found.append(a)
            elif isinstance(a, (list, tuple)):
                left.extend(reversed(a))
            elif isinstance(a, dict):
                left.extend(reversed(list(a.values())))
        return found

    def value(self, t):
        """A copy of t, one for as long as nobody writes to it; None of what is not read."""
        m = memory(t)
        if t.nbytes > LARGE and m not in self.writes and m not in self.altered:
            return None
        key = (id(t), self.writes.get(m, 0))  # torch counts a write only when the operation has returned to it
        kept = self.cache.get(key)
        if kept is None:
            self.size += t.nbytes
            if self.size > BUDGET:
                raise NotFollowed(f"the values of one step are more than {BUDGET >> 30} GiB")
            kept = self.cache[key] = t.detach().clone()
        return kept

    def compared(self, value, t, was):
        """value, held against what it was in the pass before."""
        now = self.value(t)
        if was is not None and now is not None:
            value.right = self.right(was, now)
        return value

    def run(self, name, args, call, writes):
        """Does an operation and records it. writes(t) says which operands it writes to; its results are added."""
        k, ins = len(self.ops), self.tensors(args)
        op = Op(name)
        was = None
        if self.before:
            was = self.before.ops[k] if k < len(self.before.ops) else None
            if was is None or was.name != name or len(was.kept[0]) != len(ins):
                raise NotFollowed(OTHER)
            op.ins = [self.compared(Value(t), t, w) for t, w in zip(ins, was.kept[0])]
            op.stack = self.stack()
        else:
            kept = [self.value(t) for t in ins]
        out = call()
        memories = {memory(t) for t in ins}
        results = [(t, memory(t) not in memories) for t in self.tensors(out)]
        given = {id(t) for t, _ in results}
        results = [(t, fresh or writes(t)) for t, fresh in results] + [(t, True) for t in ins if id(t) not in given and writes(t)]
        for t, written in results:
            if written:
                self.writes[memory(t)] = self.writes.get(memory(t), 0) + 1
        if self.before:
            if len(was.kept[1]) != len(results):
                raise NotFollowed(OTHER)
            op.outs = [self.compared(Value(t, written), t, w) for (t, written), w in zip(results, was.kept[1])]
        else:
            op.kept = kept, [self.value(t) for t, _ in results]
        self.alive += ins + [t for t, _ in results]  # or another tensor gets its id, or its memory
        self.ops.append(op)
        return out

    def stack(self):
        """The frames of the repository, innermost first: (code, line, memory of the tensors that the function was given)."""
        f, out, other = sys._getframe(2), [], None
        while f is not None:
            code = f.f_code
            if fr.ours(code.co_filename):
                if out:
                    break
            elif self.root.has(code.co_filename):
                names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
                out.append((code, f.f_lineno, {memory(v) for n in names if self.ours(v := f.f_locals.get(n))}))
            elif other is None:
                other = (code, f.f_lineno, set())
            f = f.f_back
        return out or [other] * (other is not None)

    @contextlib.contextmanager
    def on(self):
        from torch.utils._python_dispatch import TorchDispatchMode

        flow = self

        class Ops(TorchDispatchMode):
            def __torch_dispatch__(self, func, types, args=(), kwargs=None):
                kwargs = kwargs or {}
                changed = {id(t) for a, v in zip(func._schema.arguments, args) if writes(a) for t in flow.tensors(v)}
                changed |= {id(t) for a in func._schema.arguments if writes(a) for t in flow.tensors(kwargs.get(a.name))}
                return flow.run(str(func), (args, kwargs), lambda: func(*args, **kwargs), lambda t: id(t) in changed)

        with Ops(), self.triton():
            yield

    @contextlib.contextmanager
    def triton(self):
        """Triton launches pass torch's dispatcher by: each may write to every tensor that it is given."""
        try:
            from triton.runtime.jit import JITFunction
        except Exception:
            yield  # no Triton, no launches of it
            return
        run, flow = JITFunction.run, self

        def wrapped(self, *args, grid, warmup, **kwargs):
            def call():
                return run(self, *args, grid=grid, warmup=warmup, **kwargs)

            if warmup:
                return call()
            from torch.utils._python_dispatch import _disable_current_modes

            with _disable_current_modes():
                return flow.run("triton:" + getattr(self, "__name__", "kernel"), (args, kwargs), call, lambda t: True)

        JITFunction.run = wrapped
        try:
            yield
        finally:
            JITFunction.run = run


def memory(t):
    return t.untyped_storage().data_ptr() or id(t)


def writes(argument):
    return argument.alias_info is not None and argument.alias_info.is_write
