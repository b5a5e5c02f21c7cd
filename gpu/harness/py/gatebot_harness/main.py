"""One process of the harness: loads the module, runs the phases that its configuration names, ends the trace."""
import json
import os
import sys

from . import fault, frames, probe
from .out import Trace
from .watch import brief


def start(config):
    with open(config, encoding="utf-8") as f:
        cfg = json.load(f)
    for key in ("MASTER_ADDR", "TORCHELASTIC_RUN_ID"):
        os.environ.pop(key, None)
    trace, reason = None, "exit"
    try:
        import torch
    except Exception as e:
        trace = Trace(cfg["trace"], sys.argv)
        fault.emit(trace, fault.Fault("no_torch", f"import torch: {brief(e)}", source="harness",
                                      hint=f"{sys.executable} has to be the interpreter of your environment: set step.python"))
        trace.end(reason)
        return
    trace = Trace(cfg["trace"], sys.argv)
    try:
        run(torch, trace, cfg)
    except fault.Fault as f:
        fault.emit(trace, f)
    except Exception as e:
        from .eager import Over

        if not isinstance(e, Over):
            import traceback

            tb = traceback.extract_tb(e.__traceback__)
            at = [{"file": s.filename, "line": s.lineno or 0, "func": s.name} for s in reversed(tb)]
            fault.emit(trace, fault.Fault("internal", f"the harness broke: {brief(e)}", source="harness",
                                          hint="please report this", at=at[:20]))
    probe.Probe().end()
    trace.end(reason)
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(0)  # a half-broken context can hang or abort in a normal exit


def run(torch, trace, cfg):
    trace.emit("phase", name="load", at="enter")
    trace.flush()
    try:
        if cfg["device"].startswith("cuda"):
            device(torch, trace)
        from . import eager, runner, watch

        # The hooks go in before the module is imported, so that "from torch.cuda import ..." gets them too.
        listen = watch.Watch(torch, trace)
        module = runner.load(torch, cfg["entry"], cfg["root"])
    finally:
        trace.emit("phase", name="load", at="exit")
        trace.flush()
    root = frames.Root(cfg["root"])
    if cfg["mode"] == "eager":
        eager.Phases(torch, trace, cfg, root, module, listen).all()
    else:
        from . import capture

        capture.Phases(torch, trace, cfg, root, module, listen).all()


def device(torch, trace):
    try:
        torch.cuda.init()
        p = torch.cuda.get_device_properties(0)
    except Exception as e:
        raise fault.Fault("no_device", f"torch cannot use the device: {type(e).__name__}: {str(e).splitlines()[0]}",
                          "check nvidia-smi, and that this torch is built for CUDA", source="cuda") from e
    uuid = getattr(p, "uuid", None)
    trace.emit("device", dev=0, name=p.name, cc=f"{p.major}.{p.minor}", mem=p.total_memory,
               cuda=torch.version.cuda or "", uuid=f"GPU-{uuid}" if uuid else None)
