"""The injected probe, where it is loaded: it records only while it is armed. The marks of phases, steps and regions are
the harness's own; the two files are put together by process and time."""
import contextlib
import ctypes
import os


class Probe:
    now = None  # what the process's probe records: nothing, "brief" or "full"

    def __init__(self):
        self.lib = None
        path = os.environ.get("CUDA_INJECTION64_PATH", "")
        if path.endswith("gatebot-probe.so"):
            try:
                self.lib = ctypes.CDLL(path)
                self.lib.gatebot_arm, self.lib.gatebot_end, self.lib.gatebot_launch_frames
            except (OSError, AttributeError):
                self.lib = None

    @contextlib.contextmanager
    def armed(self, brief=False):
        """brief leaves out launches, and copies that no host waits for: a long run has millions of them. What was armed
        before is so again afterwards."""
        with self.state("brief" if brief else "full"):
            yield

    @contextlib.contextmanager
    def paused(self):
        """What is done here is ours and not the step's."""
        with self.state(None):
            yield

    @contextlib.contextmanager
    def state(self, new):
        before = Probe.now
        self.set(new)
        try:
            yield
        finally:
            self.launch_frames(False)
            self.set(before)

    def set(self, new):
        if self.lib is None or new == Probe.now:
            return
        if new is None:
            self.lib.gatebot_disarm()
        else:
            if hasattr(self.lib, "gatebot_brief"):
                self.lib.gatebot_brief(int(new == "brief"))
            self.lib.gatebot_arm()
        Probe.now = new

    def launch_frames(self, on):
        """Whether launches are recorded with their stacks."""
        if self.lib is not None:
            self.lib.gatebot_launch_frames(int(on))

    def end(self):
        """Ends the probe's trace: the process leaves without its exit handlers."""
        if self.lib is not None:
            self.lib.gatebot_end()
