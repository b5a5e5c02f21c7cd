"""What can go wrong with the module under test, each as one error event: what, why, and what to do."""
from . import frames
from .watch import brief


class Fault(Exception):
    """A run that cannot go on. code is one of the trace's error codes, source is user, harness or cuda."""

    def __init__(self, code, text, hint="", source="user", at=None):
        super().__init__(text)
        self.code, self.hint, self.source, self.at = code, hint, source, at or []


DEAD = ("device-side assert", "illegal memory access", "unspecified launch failure", "misaligned address",
        "CUDA-capable device(s) is/are busy", "uncorrectable ECC", "device is lost", "fallen off the bus",
        "hardware stack error", "illegal instruction")


def dead(exc):
    """Whether the CUDA context of this process is beyond use."""
    text = str(exc)
    return any(d in text for d in DEAD)


def of(torch, exc, what):
    """The fault that an exception from the user's code means."""
    if isinstance(exc, Fault):
        return exc
    at = frames.of(exc)
    oom = getattr(torch.cuda, "OutOfMemoryError", ())
    if isinstance(exc, oom) or "CUDA out of memory" in str(exc):
        return Fault("oom", f"{what} ran out of device memory: {brief(exc)}",
                     "make the step module smaller, or free the card (nvidia-smi)", at=at)
    if dead(exc):
        return Fault("device_fault", f"{what} broke the device context: {brief(exc)}",
                     "run it alone with CUDA_LAUNCH_BLOCKING=1 to find the kernel", at=at)
    return Fault("exception", f"{what} raised {brief(exc)}", "run the step module by itself", at=at)


def emit(trace, fault, of=""):
    trace.emit("error", source=fault.source, code=fault.code, text=str(fault)[:2000], hint=fault.hint or None,
               of=of or None, frames=fault.at or None)
