"""What is listened to while a step runs: torch's sync-debug mode, its trace callbacks, and questions about captures."""
import contextlib
import os
import sys
import tempfile
import warnings

from . import frames

WORDS = "called a synchronizing CUDA operation"


class Watch:
    def __init__(self, torch, trace):
        self.torch, self.trace = torch, trace
        self.armed = self.capturing = self.stepping = False
        # There to show that a blind detector is noticed: the trace has an error then.
        self.blind = "torch" in [n.strip() for n in os.environ.get("GATEBOT_DISABLE_DETECTOR", "").split(",")]
        if self.blind:
            trace.emit("error", source="harness", code="detector_disabled",
                       text="GATEBOT_DISABLE_DETECTOR switches torch's sync-debug mode off")
        self.hook_gpu_trace()
        self.hook_captures()

    def warn(self, source, text):
        self.trace.emit("warning", source=source, text=text, frames=frames.here())

    def hook_gpu_trace(self):
        """torch tells about the waits that its own debug mode leaves out. The hooks are private: absent is no error."""
        try:
            from torch.cuda import _gpu_trace as g

            def on(what):
                def call(*_):
                    if self.armed:
                        self.warn("torch.gpu_trace", what)
                return call

            g.DeviceSynchronizationCallbacks.add_callback(on("device synchronize"))
            g.StreamSynchronizationCallbacks.add_callback(on("stream synchronize"))
            g.EventSynchronizationCallbacks.add_callback(on("event synchronize"))
            self.torch._C._activate_gpu_trace()
        except Exception as e:
            self.trace.emit("warning", source="harness", text=f"torch's trace callbacks are not there: {e}")

    def hook_captures(self):
        """Code that asks whether it is being captured may do something else then; code that captures may hide that it
        failed."""
        cuda, outer = self.torch.cuda, self
        asked = cuda.is_current_stream_capturing

        def is_current_stream_capturing():
            if outer.capturing:
                outer.warn("harness.capture_query", "asks whether the stream is being captured")
            return asked()

        for module in (cuda, cuda.graphs):
            module.is_current_stream_capturing = is_current_stream_capturing
        flush = cuda.empty_cache

        def empty_cache():
            if outer.stepping:
                outer.warn("harness.cache_flush", "gives the allocator's cache back to the driver")
            return flush()

        for module in (cuda, cuda.memory):
            module.empty_cache = empty_cache
        leave = cuda.graph.__exit__

        def __exit__(self, kind, exc, tb):
            try:
                return leave(self, kind, exc, tb)
            finally:
                if exc is not None and not getattr(self, "gatebot", False):
                    exc.__traceback__ = exc.__traceback__ or tb
                    outer.trace.emit("warning", source="harness.inner_capture", frames=frames.of(exc),
                                     text=f"a capture inside the step failed: {brief(exc)}")

        cuda.graph.__exit__ = __exit__

    def show(self, message, category, filename, lineno, file=None, line=None):
        text = str(message)
        if WORDS in text:
            self.warn("torch.sync_debug", text.splitlines()[0][:400])
        elif issubclass(category, UserWarning) and "CUDA" in text:
            self.warn("python", text.splitlines()[0][:400])

    @contextlib.contextmanager
    def python_warnings(self):
        with warnings.catch_warnings():
            warnings.simplefilter("always")
            warnings.showwarning = self.show
            yield

    @contextlib.contextmanager
    def armed_step(self, on=True):
        """torch's mode and the callbacks on, for one step, or off for what is ours in it."""
        before = self.armed
        self.arm(on and not self.blind)
        try:
            yield
        finally:
            self.arm(before)

    def arm(self, on):
        self.torch.cuda.set_sync_debug_mode("warn" if on else "default")
        self.armed = on

    @contextlib.contextmanager
    def stderr(self):
        """Some operations warn on file descriptor 2 and not in Python. They are counted; nobody says where they were."""
        sys.stderr.flush()
        saved = os.dup(2)
        with tempfile.TemporaryFile() as f:
            os.dup2(f.fileno(), 2)
            try:
                yield
            finally:
                sys.stderr.flush()
                os.dup2(saved, 2)
                os.close(saved)
                f.seek(0)
                data = f.read(4 << 20)
                os.write(2, data[-65536:])
                for text in data.decode("utf-8", "replace").splitlines():
                    if WORDS in text:
                        self.trace.emit("warning", source="torch.stderr", text=text[:400])


def brief(exc):
    lines = str(exc).strip().splitlines()
    if not lines:
        return type(exc).__name__
    first = lines[0]
    if "out of memory" in first:
        first = ". ".join(first.split(". ")[:3]).split(" of which")[0]
    return f"{type(exc).__name__}: {first[:200]}"


def attribute(root, count, run):
    """Runs run() line by line and gives the stacks after whose line count() had grown: [(frames, by how much)]. For
    what torch counts and does not locate."""
    out, last = [], [count(), None]

    def settle():
        now = count()
        if now != last[0]:
            if last[1]:
                out.append((last[1], now - last[0]))
            last[0] = now

    def tracer(frame, event, arg):
        if not root.has(frame.f_code.co_filename):
            return None
        settle()
        if event in ("line", "call"):
            last[1] = [{"file": frame.f_code.co_filename, "line": frame.f_lineno,
                        "func": getattr(frame.f_code, "co_qualname", frame.f_code.co_name)}]
        return tracer

    before = sys.gettrace()
    sys.settrace(tracer)
    try:
        run()
    finally:
        sys.settrace(before)
    settle()
    return out
