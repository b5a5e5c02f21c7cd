"""One process of the harness: loads the module, runs the phases that its configuration names, ends the trace."""
import json
import os
import sys

from . import fault, frames, probe, ranks
from .out import Trace
from .watch import brief


def start(config):
    with open(config, encoding="utf-8") as f:
        cfg = json.load(f)
    unknown, rank, world, local = None, 0, 1, 0
    try:
        rank, world, local = ranks.identify(cfg["launched"])
    except fault.Fault as f:
        unknown = f
    for key in ("trace", "reference", "outputs"):
        cfg[key] = cfg[key].replace("%r", str(rank))
    if cfg["against"]:
        cfg["against"]["outputs"] = cfg["outputs"]
    where, reason = (cfg["trace"], sys.argv, rank, world), "exit"
    try:
        import torch
    except Exception as e:
        trace = Trace(*where)
        fault.emit(trace, fault.Fault("no_torch", f"import torch: {brief(e)}", source="harness",
                                      hint=f"{sys.executable} has to be the interpreter of your environment: set step.python"))
        trace.end(reason)
        return
    trace = Trace(*where)
    team = ranks.Ranks(trace, cfg["meet"], rank, world)

    def end():
        probe.Probe().end()
        trace.end(reason)

    team.end = end
    try:
        if unknown:
            raise unknown
        team.address()
        run(torch, trace, cfg, team, local)
    except fault.Fault as f:
        fault.emit(trace, f)
        team.leave("the start", f, over=True)
    except Exception as e:
        from .eager import Over

        if not isinstance(e, Over):
            team.leave("the harness", e, over=True)
            import traceback

            tb = traceback.extract_tb(e.__traceback__)
            at = [{"file": s.filename, "line": s.lineno or 0, "func": s.name} for s in reversed(tb)]
            fault.emit(trace, fault.Fault("internal", f"the harness broke: {brief(e)}", source="harness",
                                          hint="please report this", at=at[:20]))
    end()
    team.done()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(0)  # a half-broken context can hang or abort in a normal exit


def run(torch, trace, cfg, team, local):
    trace.emit("phase", name="load", at="enter")
    trace.flush()
    try:
        if team.world > 1:
            once(torch)
        if cfg["device"].startswith("cuda"):
            device(torch, trace, cfg, team, local)
        from . import against, eager, runner, watch

        # The hooks go in before the module is imported, so that "from torch.cuda import ..." gets them too.
        listen = watch.Watch(torch, trace)
        module = against.load(torch, cfg) if cfg["mode"] == "reference" else runner.load(torch, cfg["entry"], cfg["root"])
    finally:
        trace.emit("phase", name="load", at="exit")
        trace.flush()
    team.agree("the import of the step module")
    root = frames.Root(cfg["root"])
    if cfg["mode"] == "reference":
        against.Phases(torch, trace, cfg, module, team).all()
    elif cfg["mode"] == "eager":
        eager.Phases(torch, trace, cfg, root, module, listen, team).all()
    else:
        from . import capture

        capture.Phases(torch, trace, cfg, root, module, listen, team).all()


def device(torch, trace, cfg, team, local):
    """Says which devices there are. A rank works on that of its number, as a launcher means it."""
    try:
        torch.cuda.init()
        n = torch.cuda.device_count()
        if team.world > 1:
            if local >= n:
                raise fault.Fault("no_device", f"rank {team.rank} has no device of its own: {n} for local rank {local}",
                                  "start fewer ranks in step.launch, or make more devices visible", source="cuda")
            torch.cuda.set_device(local)
            cfg["device"] = f"cuda:{local}"
        found = [torch.cuda.get_device_properties(d) for d in range(n)]
    except fault.Fault:
        raise
    except Exception as e:
        raise fault.Fault("no_device", f"torch cannot use the device: {type(e).__name__}: {str(e).splitlines()[0]}",
                          "check nvidia-smi, and that this torch is built for CUDA", source="cuda") from e
    for d, p in enumerate(found):
        uuid = getattr(p, "uuid", None)
        trace.emit("device", dev=d, name=p.name, cc=f"{p.major}.{p.minor}", mem=p.total_memory,
                   cuda=torch.version.cuda or "", uuid=f"GPU-{uuid}" if uuid else None)


def once(torch):
    """Each phase builds the state anew, and a process has one default group: after the first time init_process_group does
    nothing."""
    dist = torch.distributed
    init = dist.init_process_group

    def init_process_group(*args, **kwargs):
        if not dist.is_initialized():
            init(*args, **kwargs)

    for module in (dist, dist.distributed_c10d):
        module.init_process_group = init_process_group
