"""The trace file, gatebot.trace/v1: one JSON object a line. What is judged is judged elsewhere, from this file."""
import json
import os
import socket
import sys
import threading
import time

MAX_LINE = 1 << 20  # the reader refuses longer ones
FLUSH_NS = 400_000_000  # somebody may be looking at how far it is


class Trace:
    """Writes one file. Only the process that opened it writes: a fork of the user's leaves it alone."""

    def __init__(self, path, args, rank=0, world=1):
        self.pid, self.lines, self.lock = os.getpid(), 0, threading.Lock()
        self.flushed = 0
        self.file = open(path, "w", encoding="utf-8")
        several = {"rank": rank, "world": world} if world > 1 else {}
        self.emit("header", schema="gatebot.trace/v1", writer="harness", **several, host=socket.gethostname(), dir=os.getcwd(),
                  wall=time.time_ns(), args=args, python=sys.version.split()[0], torch=self.torch_version())

    @staticmethod
    def torch_version():
        torch = sys.modules.get("torch")
        return getattr(torch, "__version__", "") and str(torch.__version__)

    def emit(self, ev, **fields):
        if os.getpid() != self.pid or self.file.closed:
            return
        line = {"ev": ev, "t": fields.pop("t", None) or time.monotonic_ns(), "pid": self.pid,
                "tid": threading.get_native_id()}
        line.update((k, v) for k, v in fields.items() if v is not None)
        text = json.dumps(line, separators=(",", ":"), allow_nan=False, default=str)
        if len(text) >= MAX_LINE:
            raise ValueError(f"trace: a {ev} event of {len(text)} bytes")
        with self.lock:
            self.file.write(text + "\n")
            self.lines += 1
            if line["t"] - self.flushed > FLUSH_NS:
                self.flushed = line["t"]
                self.file.flush()

    def flush(self):
        with self.lock:
            self.file.flush()

    def end(self, reason):
        if os.getpid() != self.pid or self.file.closed:
            return
        self.emit("end", events=self.lines, reason=reason)
        with self.lock:
            self.file.close()
