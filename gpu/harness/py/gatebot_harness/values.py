"""Tensors in outputs and states: found, described, read and compared, without guessing at their meaning."""
import ctypes
import dataclasses
import hashlib


def leaves(torch, value, name="out"):
    """Yields (path, leaf) of an output: tensors and plain values inside tuples, lists, dicts and dataclasses."""
    if isinstance(value, torch.Tensor) or value is None or isinstance(value, (bool, int, float, complex, str, bytes)):
        yield name, value
    elif isinstance(value, dict):
        for k, v in value.items():
            yield from leaves(torch, v, f"{name}.{k}")
    elif isinstance(value, (tuple, list)):
        for k, v in enumerate(value):
            yield from leaves(torch, v, f"{name}.{k}")
    elif dataclasses.is_dataclass(value) and not isinstance(value, type):
        for f in dataclasses.fields(value):
            yield from leaves(torch, getattr(value, f.name), f"{name}.{f.name}")
    else:
        yield name, value


def walk(torch, obj, depth=10, limit=200_000):
    """Yields (path, tensor) for every tensor that a state holds through containers and attributes, each once."""
    seen, stack = set(), [("state", obj, 0)]
    while stack and len(seen) < limit:
        path, o, d = stack.pop()
        if id(o) in seen or d > depth:
            continue
        seen.add(id(o))
        if isinstance(o, torch.Tensor):
            yield path, o
        elif isinstance(o, dict):
            stack += [(f"{path}[{k!r}]", v, d + 1) for k, v in list(o.items())]
        elif isinstance(o, (list, tuple)):
            stack += [(f"{path}[{k}]", v, d + 1) for k, v in enumerate(o)]
        elif isinstance(o, (torch.cuda.Stream, torch.cuda.Event, torch.Generator, type)) or callable(o) and not isinstance(
                o, torch.nn.Module):
            continue
        elif hasattr(o, "__dict__"):
            stack += [(f"{path}.{k}", v, d + 1) for k, v in list(vars(o).items())]


def describe(t):
    """The fields of a tensor event that need no read of its data."""
    return {"shape": list(t.shape), "dtype": str(t.dtype), "on": str(t.device)}


def raw(torch, t):
    """The bytes of a tensor in row-major order, as a uint8 tensor on the CPU. Waits for the device."""
    t = t.detach()
    if t.layout != torch.strided:
        t = t.to_dense()
    t = t.cpu().contiguous()
    if t.is_complex():
        t = torch.view_as_real(t.resolve_conj())
    return t.reshape(-1).view(torch.uint8) if t.numel() else torch.empty(0, dtype=torch.uint8)


def digest(torch, t):
    data = raw(torch, t)
    return "sha256:" + hashlib.sha256(ctypes.string_at(data.data_ptr(), data.numel()) if data.numel() else b"").hexdigest()


def differ(torch, a, b):
    """How two tensors of one shape and dtype differ: elements, largest difference, and the index of the first."""
    if not a.numel():
        return {}
    x, y = (raw(torch, t).view(a.numel(), -1) for t in (a, b))
    bad = (x != y).any(dim=1)
    count = int(bad.sum())
    if not count:
        return {}
    at, index = int(bad.nonzero()[0]), []
    for n in reversed(a.shape):
        index.append(at % n)
        at //= n
    fields = {"bad": count, "first_at": index[::-1]}
    if not a.is_complex():
        gap = (a.detach().cpu().double() - b.detach().cpu().double()).abs()
        fields["max_abs"] = float(gap.nan_to_num(0.0, 0.0, 0.0).max())
    return fields
