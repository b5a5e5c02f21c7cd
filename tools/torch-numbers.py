#!/usr/bin/env python3
"""Writes checks/torchop/numbers.tsv: which arguments of torch's operations are host numbers, in every overload.

    python tools/torch-numbers.py >checks/torchop/numbers.tsv     # with the torch that the table is to speak of

Given a tensor there, torch reads it as if .item() were written. The facts are the schemas of the operations, and for the
functions of torch.nn.functional that are written in Python their annotations.
"""
import inspect
import re

import torch
import torch.nn.functional as F

NUMBER = re.compile(r"^(int|float|number|Scalar|SymInt|complex)(\[\d*\])?\??(\[\d*\])?\??$")
TENSOR = re.compile(r"^(Tensor|Any|t\b)")
ARGUMENT = re.compile(r"^(.+?) (\w+)(?:=.*)?$")
# What these do with a tensor is in the main table.
LEFT_OUT = {"tensor", "as_tensor", "to", "type", "set_", "result_type", "can_cast", "size", "stride"}


def arguments(schema):
    """[(name, kind, keyword only)]: kind is N for a number, L for a list of any length, T for a tensor, - for the rest."""
    text = re.sub(r"\([a-z][!>\s*|a-z-]*\)", "", str(schema))  # what it writes to or shares: Tensor(a!)
    text = text[text.index("(") + 1:text.rindex(") ->")]
    out, only, depth, word = [], False, 0, ""
    for c in text + ",":
        depth += (c in "([") - (c in ")]")
        if c != "," or depth:
            word += c
            continue
        word, arg = "", word.strip()
        if arg == "*":
            only = True
        elif arg:
            m = ARGUMENT.match(arg)
            if not m:
                raise SystemExit(f"{schema}: cannot read {arg!r}")
            kind = m.group(1)
            if TENSOR.match(kind):
                kind = "T"
            elif NUMBER.match(kind):
                kind = "L" if kind.endswith(("[]", "[]?")) else "N"
            else:
                kind = "-"
            out.append((m.group(2), kind, only))
    return out


def overloads():
    out = {}
    for s in torch._C._jit_get_all_schemas():
        space, _, name = s.name.partition("::")
        if space != "aten" or "..." in str(s):
            continue
        text = str(s)
        head = text[:text.rindex(") ->")]
        if "Tensor" not in text or "Dict(" in text or re.search(r"\bout\b", head):  # of numbers and lists; the same with out=
            continue
        args = arguments(s)
        out.setdefault(name, []).append(args)
    return out


def of_python(f):
    """The arguments of a function that is written in Python, or None."""
    try:
        sig = inspect.signature(f)
    except (TypeError, ValueError):
        return None
    if any(p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD) for p in sig.parameters.values()):
        return None
    out = []
    for p in sig.parameters.values():
        note = str(p.annotation)
        if "Tensor" in note or "Any" in note or "Callable" in note:
            kind = "T"
        elif p.annotation in (int, float) or re.search(r"\b(int|float)\b", note):
            kind = "L" if "list[" in note.lower() else "N"
        else:
            kind = "-"
        out.append((p.name, kind, p.kind == p.KEYWORD_ONLY))
    return out


def row(name, all_args, method):
    """name, positions ("n" for a number, "-" for the rest, "*": the one before, to the end), keywords."""
    places, words, spread = [], {}, method
    for args in all_args:
        args = args[1:] if method else args
        for i, (word, kind, only) in enumerate(args):
            if word == "dtype" or word[0] == "_":
                kind = "-"
            words.setdefault(word, set()).add(kind)
            if not only:
                while len(places) <= i:
                    places.append(set())
                places[i].add(kind)
        written = [kind for _, kind, only in args if not only]
        spread = spread and written == ["L"]  # x.permute(0, n): torch takes a list apart where it stands alone

    def number(kinds):
        return bool(kinds & {"N", "L"}) and "T" not in kinds

    text = "".join("n" if number(k) else "-" for k in places).rstrip("-") + ("*" if spread else "")
    keys = " ".join(sorted(w for w, k in words.items() if number(k)))
    if text or keys:
        print(f"{name}\t{text or '-'}\t{keys or '-'}")


def main():
    print(f"# Written by tools/torch-numbers.py from torch {torch.__version__.split('+')[0]}: name, positions (n: a number), keywords.")
    known = overloads()
    rows = {}
    for name, args in known.items():
        if name in LEFT_OUT or name.startswith("_"):
            continue
        of_tensor = [a for a in args if a and a[0][1] == "T"]
        if of_tensor and callable(getattr(torch.Tensor, name, None)):
            rows["Tensor." + name] = (of_tensor, True)
        if callable(getattr(torch, name, None)):
            rows["torch." + name] = (args, False)
        for space in ("linalg", "special", "fft"):
            short = name.removeprefix(space + "_")
            if short != name and callable(getattr(getattr(torch, space), short, None)):
                rows[f"torch.{space}.{short}"] = (args, False)
    for name in dir(F):
        f = getattr(F, name)
        if name.startswith("_") or not callable(f) or inspect.isclass(f):
            continue
        args = of_python(f)
        args = [args] if args else known.get(name)
        if args:
            rows["torch.nn.functional." + name] = (args, False)
    for name in sorted(rows):
        row(name, *rows[name])


main()
