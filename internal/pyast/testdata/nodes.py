"""Prints every node of each file named on stdin as CPython's own parser sees it, for cpython_test.go.

One line a node: kind, detail, line, column, end line, end column; columns are 1-based and in code points. Nodes inside
f-strings are printed without their place before 3.12, which gets it right; the first line says which. A file that
CPython refuses is "refused".
"""

import ast
import sys
import tokenize
import warnings

warnings.simplefilter("ignore")
SAME = {"AsyncFunctionDef": "FunctionDef", "AsyncFor": "For", "AsyncWith": "With", "TryStar": "Try",
        "MatchSingleton": "Constant", "Nonlocal": "Global", "TypeAlias": "Assign"}
PLACED = sys.version_info >= (3, 12)
KINDS = {"Call", "Name", "Attribute", "Subscript", "Slice", "BinOp", "UnaryOp", "Compare", "IfExp", "Lambda",
         "Constant", "JoinedStr", "Tuple", "List", "Set", "Dict", "ListComp", "SetComp", "DictComp", "GeneratorExp",
         "NamedExpr", "Await", "Yield", "YieldFrom", "Assign", "AnnAssign", "AugAssign", "Expr", "Return", "If",
         "While", "For", "With", "Try", "Raise", "Assert", "Delete", "Import", "ImportFrom", "Global", "FunctionDef",
         "ClassDef", "Match", "Pass", "Break", "Continue", "keyword", "alias", "arg", "ExceptHandler", "comprehension"}
OPS = {"Lt": "<", "LtE": "<=", "Eq": "==", "NotEq": "!=", "GtE": ">=", "Gt": ">", "In": "in", "NotIn": "not-in",
       "Is": "is", "IsNot": "is-not", "Add": "+", "Sub": "-", "Mult": "*", "Div": "/", "FloorDiv": "//", "Mod": "%",
       "Pow": "**", "MatMult": "@", "LShift": "<<", "RShift": ">>", "BitOr": "|", "BitAnd": "&", "BitXor": "^",
       "UAdd": "+", "USub": "-", "Invert": "~", "Not": "not"}


def detail(n):
    k = type(n).__name__
    if k == "Name":
        return n.id
    if k == "Attribute":
        return n.attr
    if k == "Call":
        return str(len(n.args) + len(n.keywords))
    if k == "Compare":
        return ",".join(OPS[type(o).__name__] for o in n.ops)
    if k in ("BinOp", "UnaryOp", "AugAssign"):
        return OPS[type(n.op).__name__]
    if k in ("FunctionDef", "AsyncFunctionDef", "ClassDef"):
        return n.name + str(len(n.decorator_list)) + "/" + str(len(n.body))
    if k in ("keyword", "arg"):
        return n.arg or "-"
    if k == "alias":
        return n.name + ">" + (n.asname or "")
    if k == "ImportFrom":
        return "." * n.level + (n.module or "")
    if k == "ExceptHandler":
        return n.name or "-"
    if k in ("Global", "Nonlocal"):
        return ",".join(n.names)
    if k in ("If", "For", "While", "AsyncFor"):
        return f"{len(n.body)}/{len(n.orelse)}"
    if k in ("With", "AsyncWith"):
        return f"{len(n.items)}/{len(n.body)}"
    if k in ("Try", "TryStar"):
        return f"{len(n.body)}/{len(n.handlers)}/{len(n.orelse)}/{len(n.finalbody)}"
    if k == "Constant":
        return type(n.value).__name__
    if k == "MatchSingleton":
        return type(n.value).__name__
    if k in ("Tuple", "List", "Set"):
        return str(len(n.elts))
    if k == "Dict":
        return str(len(n.values))
    if k in ("ListComp", "SetComp", "DictComp", "GeneratorExp"):
        return str(len(n.generators))
    if k == "Slice":
        return "".join("x" if v else "-" for v in (n.lower, n.upper, n.step))
    if k == "Match":
        return str(len(n.cases))
    if k == "comprehension":
        return str(len(n.ifs))
    return "-"


def main():
    out = []
    print("placed" if PLACED else "unplaced")
    for path in sys.stdin.read().split("\n"):
        if not path:
            continue
        with open(path, "rb") as f:
            raw = f.read()
        print("file", path)
        try:
            with tokenize.open(path) as f:
                lines = f.read().split("\n")
            tree = ast.parse(raw)
        except (SyntaxError, ValueError, UnicodeDecodeError, RecursionError):
            print("refused")
            continue
        plain = [line.isascii() for line in lines]

        def col(line, off):
            return off + 1 if plain[line - 1] else len(lines[line - 1].encode()[:off].decode(errors="replace")) + 1

        def end(n):
            # CPython ends a block after the semicolon of its last statement
            c = col(n.end_lineno, n.end_col_offset)
            if isinstance(n, (ast.stmt, ast.ExceptHandler)) and lines[n.end_lineno - 1][:c - 1].endswith(";"):
                c -= 1 + len(lines[n.end_lineno - 1][:c - 2]) - len(lines[n.end_lineno - 1][:c - 2].rstrip())
            return c

        def walk(n, parent, inf):
            k = type(n).__name__
            skip = k == "Tuple" and isinstance(parent, ast.Subscript) and parent.slice is n
            if inf and k in ("Constant", "JoinedStr"):
                skip = True
            k = SAME.get(k, k)
            if k in KINDS and not skip:
                if inf and not PLACED or not hasattr(n, "lineno") or k == "arg":
                    out.append(f"{k} {detail(n)}")
                else:
                    out.append(f"{k} {detail(n)} {n.lineno} {col(n.lineno, n.col_offset)} "
                               f"{n.end_lineno} {end(n)}")
            inf = inf or k == "JoinedStr"
            for c in ast.iter_child_nodes(n):
                walk(c, n, inf)

        out.clear()
        walk(tree, None, False)
        print("\n".join(sorted(out)))


main()
