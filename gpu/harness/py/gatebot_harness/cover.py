"""Which lines of the repository a step ran. A line that a scan suspects and that ran without a wait, or did not run at
all, says so then."""
import contextlib
import sys
import threading

CHUNK = 20_000  # lines in one event


class Lines:
    def __init__(self, trace, root):
        self.trace, self.root, self.seen = trace, root, {}

    def add(self, code, line):
        self.seen.setdefault(code.co_filename, set()).add(line)

    @contextlib.contextmanager
    def on(self):
        with self.monitored() if hasattr(sys, "monitoring") else self.traced():
            yield

    @contextlib.contextmanager
    def monitored(self):
        """Python 3.12: each line tells of itself once, and costs nothing from then on."""
        m = sys.monitoring
        tool = next((i for i in (3, 4, 2, 1, 0, 5) if m.get_tool(i) is None), None)
        if tool is None:
            yield
            return

        def line(code, number):
            if self.root.has(code.co_filename):
                self.add(code, number)
            return m.DISABLE

        m.use_tool_id(tool, "gatebot lines")
        m.register_callback(tool, m.events.LINE, line)
        m.set_events(tool, m.events.LINE)
        if not self.seen:
            m.restart_events()  # another tool of this number may have switched lines off
        try:
            yield
        finally:
            m.set_events(tool, 0)
            m.register_callback(tool, m.events.LINE, None)
            m.free_tool_id(tool)

    @contextlib.contextmanager
    def traced(self):
        def tracer(frame, event, arg):
            if not self.root.has(frame.f_code.co_filename):
                return None
            self.add(frame.f_code, frame.f_lineno)
            return tracer

        before = sys.gettrace()
        threading.settrace(tracer)
        sys.settrace(tracer)
        try:
            yield
        finally:
            sys.settrace(before)
            threading.settrace(None)

    def tell(self):
        for file, lines in sorted(self.seen.items()):
            numbers = sorted(n for n in lines if n)
            for k in range(0, len(numbers), CHUNK):
                self.trace.emit("lines", file=file, lines=numbers[k: k + CHUNK])
