"""The regions of a state: methods that are to be captured or to stay eager, found and wrapped without the repository's
help."""
from .fault import Fault

WHOLE = "step"


def children(torch, o):
    if isinstance(o, dict):
        return [(str(k), v) for k, v in o.items()]
    if isinstance(o, (list, tuple, torch.nn.ModuleList, torch.nn.Sequential)):
        return [(str(k), v) for k, v in enumerate(o)]
    names = {}
    if isinstance(o, torch.nn.Module):
        names.update(o._modules)
    names.update({k: v for k, v in getattr(o, "__dict__", {}).items() if not k.startswith("_")})
    return list(names.items())


def child(torch, o, name):
    for k, v in children(torch, o):
        if k == name:
            return v
    if name.lstrip("-").isdigit() and hasattr(o, "__getitem__"):
        try:
            return o[int(name)]
        except (IndexError, KeyError, TypeError):
            return None
    return getattr(o, name, None)


def find(torch, state, glob):
    """Yields (name, owner, method) for a glob over attribute paths; '*' is one step of the path."""
    *path, last = glob.split(".")
    level = [("", state)]
    for part in path:
        nxt = []
        for name, o in level:
            if part == "*":
                nxt += [(f"{name}.{k}", v) for k, v in children(torch, o) if v is not None]
            else:
                v = child(torch, o, part)
                if v is not None:
                    nxt.append((f"{name}.{part}", v))
        level = nxt
    for name, owner in level:
        method = getattr(owner, last, None) if not isinstance(owner, dict) else owner.get(last)
        full = f"{name}.{last}".lstrip(".")
        if isinstance(method, torch.nn.Module):
            yield full, method, "forward"
        elif callable(method) and not isinstance(owner, dict):
            yield full, owner, last


def resolve(torch, state, module, capture, eager):
    """{name: (owner, method, eager)}; empty means that the whole step is the region."""
    found, seen = {}, set()
    named = {}
    if not capture and hasattr(module, "regions"):
        named = dict(module.regions(state))
    for name, pair in named.items():
        if not (isinstance(pair, tuple) and len(pair) == 2 and callable(getattr(pair[0], str(pair[1]), None))):
            raise Fault("bad_module", f"regions(state)[{name!r}] is no (owner, \"method\")", "see the step protocol")
        found[str(name)] = (pair[0], pair[1], False)
        seen.add((id(pair[0]), pair[1]))
    for globs, is_eager in ((eager, True), (capture, False)):
        for glob in globs:
            hits = list(find(torch, state, glob))
            if not hits:
                raise Fault("bad_config", f"step.{'eager' if is_eager else 'capture'}: {glob!r} matches no method of the "
                            f"state that build returned", "check the attribute path")
            for name, owner, method in hits:
                if (id(owner), method) not in seen:
                    seen.add((id(owner), method))
                    found[name] = (owner, method, is_eager)
    if eager and not any(not e for _, _, e in found.values()):
        raise Fault("bad_config", "step.eager names methods and step.capture none", "name the regions to capture")
    return found


def wrap(owner, method, make, name):
    """Replaces a method on its instance. make gets the original and gives what is called instead."""
    fn = make(getattr(owner, method))
    try:
        setattr(owner, method, fn)
    except Exception as e:
        raise Fault("bad_config", f"region {name}: {type(owner).__name__}.{method} cannot be wrapped: {e}",
                    "give the class a __dict__, or name a method of another object") from e
