"""The injected probe, where it is loaded: it records only while it is armed. The marks of phases, steps and regions are
the harness's own; the two files are put together by process and time."""
import contextlib
import ctypes
import os


class Probe:
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
        """brief leaves out launches, and copies that no host waits for: a long run has millions of them."""
        if self.lib is None:
            yield
            return
        if hasattr(self.lib, "gatebot_brief"):
            self.lib.gatebot_brief(int(brief))
        self.lib.gatebot_arm()
        try:
            yield
        finally:
            self.lib.gatebot_launch_frames(0)
            self.lib.gatebot_disarm()

    def launch_frames(self, on):
        """Whether launches are recorded with their stacks."""
        if self.lib is not None:
            self.lib.gatebot_launch_frames(int(on))

    def end(self):
        """Ends the probe's trace: the process leaves without its exit handlers."""
        if self.lib is not None:
            self.lib.gatebot_end()
