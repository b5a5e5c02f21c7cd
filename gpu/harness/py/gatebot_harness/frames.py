"""Python stacks, innermost frame first, as the trace has them."""
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
DEPTH = 40


def _one(code, line):
    return {"file": code.co_filename, "line": line or 0, "func": getattr(code, "co_qualname", code.co_name)}


def ours(filename):
    return filename.startswith(HERE)


def here(depth=DEPTH):
    """The caller's stack without the harness: its inner frames are skipped, and what called the user's code is cut."""
    f, out = sys._getframe(1), []
    while f is not None and len(out) < depth:
        if not ours(f.f_code.co_filename):
            out.append(_one(f.f_code, f.f_lineno))
        elif out:
            break
        f = f.f_back
    return out


def of(exc):
    """The stack at which an exception was raised, without the frames that lie above the user's code."""
    out, tb = [], exc.__traceback__
    while tb is not None:
        if not ours(tb.tb_frame.f_code.co_filename):
            out.append(_one(tb.tb_frame.f_code, tb.tb_lineno))
        tb = tb.tb_next
    return out[::-1][:DEPTH]


class Root:
    """Says which files are the repository's: inside its root, and not inside an environment that lives there."""

    def __init__(self, root):
        self.root = os.path.join(os.path.realpath(root), "")
        self.known, self.places = {}, {}

    def has(self, filename):
        hit = self.known.get(filename)
        if hit is None and filename.startswith("<"):
            hit = self.known[filename] = False  # frozen or made up: no file
        if hit is None:
            real = os.path.realpath(filename)
            hit = real.startswith(self.root) and not any(
                real.startswith(os.path.join(os.path.realpath(p), "")) and os.path.realpath(p).startswith(self.root)
                for p in {sys.prefix, sys.exec_prefix} if os.path.realpath(p) + os.sep != self.root
            ) and "/site-packages/" not in real[len(self.root):]
            self.known[filename] = hit
        return hit

    def innermost_code(self, f):
        """(code, line) of the innermost frame from f on that is inside the repository, or of the innermost of all that is
        not ours."""
        first = (None, 0)
        while f is not None:
            code = f.f_code
            name = code.co_filename
            where = self.places.get(name)
            if where is None:
                where = self.places[name] = 2 if self.has(name) and not ours(name) else 0 if ours(name) else 1
            if where == 2:
                return code, f.f_lineno
            if where and first[0] is None:
                first = code, f.f_lineno
            f = f.f_back
        return first
