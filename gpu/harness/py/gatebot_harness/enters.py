"""The line at which a change that must not matter (invariance.py) gets into the result of a step: the operation whose
operands are as they should be and whose result is not, found backwards from the result."""
import os

from . import values
from .flow import Flow, memory


def locate(inv, i, make):
    """Runs the steps up to i twice, plainly and under the change that make gives, and gives (what, frames), or None when
    nothing is found."""
    torch, run, flow = inv.torch, inv.p.run, None
    for changed in (False, True):
        inv.p.start()
        change = make() if changed else None
        flow = Flow(torch, inv.p.root, flow, change.right, [t for _, t in change.found]) if changed else Flow(torch, inv.p.root)
        for j in range(i + 1):
            out = run.step(j, *([flow.on] if j == i else []), before=change and inv.guarded(change))
            if change:
                change.after()
        run.sync()
    leaves = [t for _, t in values.leaves(torch, out) if isinstance(t, torch.Tensor)]
    return Walk(flow, {memory(t): name for name, t in change.found}).back(leaves)


class Walk:
    def __init__(self, flow, altered):
        self.ops, self.altered = flow.ops, altered

    def source(self, v, at):
        """The operation before at that left in v what is not as it should be."""
        for k in range(at - 1, -1, -1):
            for o in self.ops[k].outs:
                if o.id == v.id or o.written and o.meets(v):
                    if not o.right:
                        return k
                    if o.id == v.id:
                        return None  # it was right when it was made, and what changed it is not seen here
        return None

    def back(self, leaves):
        last = len(self.ops)
        for t in leaves:
            made = [o for op in self.ops for o in op.outs if o.id == id(t)]
            k = self.source(made[-1], last) if made else None
            if k is not None:
                return self.follow(k)
        return None

    def follow(self, k):
        reader = k  # the last on the way back that computes; the others only look at memory in another form
        while True:
            op = self.ops[k]
            if any(o.written for o in op.outs):
                reader = k
            wrong = [v for v in op.ins if not v.right]
            if not wrong:
                return self.breaks(k)
            came = [c for v in wrong if (c := self.source(v, k)) is not None]
            if not came:
                names = [self.altered[v.memory] for v in wrong if v.memory in self.altered]
                return self.reads(reader, names[0]) if names else None
            k = came[0]

    def breaks(self, k):
        """Operation k makes something wrong of what is right. Where memory is looked at with strides of its own, or by
        what is not torch's, on the way to its operands that stay as they were while others follow, an operand of stride 0
        may have been taken for a dense one: then the line is where that was made."""
        op = self.ops[k]
        for j in [k] + [j for v in op.ins if v.right == "same" for j in self.views(v, k)]:
            by = self.ops[j]
            if by.name.startswith("aten.") and not by.name.startswith("aten.as_strided"):
                continue
            for v in by.ins:
                made = self.maker(v, j) if v.repeats() else None
                if made is not None and made.stack:
                    return f"{by.name}{at(by)} does not follow: its operand, made here, has a stride of 0", frames(made.stack)
        return f"what {op.name} reads follows, and what it gives does not", frames(op.stack)

    def views(self, v, k):
        """The operations, latest first, that made v as another form of memory."""
        for j in range(k - 1, -1, -1):
            if any(o.id == v.id and not o.written for o in self.ops[j].outs):
                yield j
                if not self.ops[j].ins:
                    return
                v = self.ops[j].ins[0]

    def maker(self, v, k):
        """The first view of stride 0 on the way to v."""
        made = None
        for j in self.views(v, k):
            if not any(o.repeats() for o in self.ops[j].outs):
                break
            made = self.ops[j]
        return made

    def reads(self, k, name):
        """Operation k reads altered memory into the result. The line is where that memory is handed over: out of the
        functions that were given it."""
        op, stack = self.ops[k], self.ops[k].stack
        of = {m for m, n in self.altered.items() if n == name}
        while len(stack) > 1 and stack[0][2] & of:
            stack = stack[1:]
        return f"{op.name}{at(op) if stack is not op.stack else ''} reads {name} into the result", frames(stack)


def at(op):
    if not op.stack:
        return ""
    code, line, _ = op.stack[0]
    return f" ({os.path.basename(code.co_filename)}:{line})"


def frames(stack):
    return [{"file": c.co_filename, "line": line, "func": getattr(c, "co_qualname", c.co_name)} for c, line, _ in stack[:8]]
