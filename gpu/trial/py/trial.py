"""Runs pieces of Python one at a time, each in a process of its own: in eager mode under the probe and torch's sync-debug
mode, then captured alone, then replayed. Torch is imported once, before any CUDA call, and every piece gets a fork, or an interpreter
of its own where it says so.

usage: trial.py CASES.json RESULTS.ndjson JOBS SECONDS
       trial.py CASES.json RESULTS.ndjson NAME
"""
import ctypes
import json
import os
import signal
import sys
import time
import warnings

KINDS = {0: "kernel", 1: "memcpy", 2: "memset", 3: "host", 4: "graph", 5: "empty", 6: "event_wait", 7: "event_record",
         10: "mem_alloc", 11: "mem_free"}
WARMUP = 3
REPLAYS = (5, 6, 7, 8)  # host ints that neither the warm-up nor the capture had


def words(err):
    lines = str(err).strip().splitlines() or [""]
    return f"{type(err).__name__}: {lines[0]}"[:300]


class Out:
    """The results file: one line a write, so that lines of several processes never mix."""

    def __init__(self, path):
        self.fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)

    def line(self, **fields):
        os.write(self.fd, (json.dumps(fields) + "\n").encode())


class Probe:
    """The recorder that the driver loads into this process, if it was told to."""

    def __init__(self):
        path = os.environ.get("CUDA_INJECTION64_PATH", "")
        self.lib = ctypes.CDLL(path) if path.endswith("gatebot-probe.so") else None

    def call(self, name, *args):
        if self.lib is not None:
            getattr(self.lib, name)(*args)


def node_kinds(raw):
    """Kinds of the nodes of a graph, from the driver: torch tells of an empty graph by a warning only."""
    cu = ctypes.CDLL("libcuda.so.1")
    graph, n = ctypes.c_void_p(raw), ctypes.c_size_t(0)
    if cu.cuGraphGetNodes(graph, None, ctypes.byref(n)):
        return None
    nodes = (ctypes.c_void_p * max(1, n.value))()
    if n.value and cu.cuGraphGetNodes(graph, nodes, ctypes.byref(n)):
        return None
    kinds = []
    for node in nodes[: n.value]:
        kind = ctypes.c_int(-1)
        cu.cuGraphNodeGetType(ctypes.c_void_p(node), ctypes.byref(kind))
        kinds.append(KINDS.get(kind.value, f"kind{kind.value}"))
    return kinds


class Piece:
    """One case inside its own process."""

    def __init__(self, case, torch):
        self.case, self.torch, self.probe = case, torch, Probe()
        self.names = {"torch": torch, "dev": "cuda", "i": 0}
        self.code = {k: compile(case[k], f"<{case['name']}: {k}>", "exec") for k in ("prepare", "call") if case.get(k)}

    def run(self, what, i=None):
        if i is not None:
            self.names["i"] = i
        if what in self.code:
            exec(self.code[what], self.names)

    def step(self, i):
        self.run("prepare", i)
        self.run("call")

    def warm(self):
        self.torch.zeros(1, device="cuda")
        exec(compile(self.case.get("setup", ""), f"<{self.case['name']}: setup>", "exec"), self.names)
        if not isinstance(self.names["i"], int):
            raise NameError("the set-up gives i another meaning: it is the number of the step (take another name)")
        for i in range(WARMUP):
            self.step(i)
        self.torch.cuda.synchronize()

    def watch(self):
        """(warnings of torch's sync-debug mode); the probe writes what it sees to its own file."""
        name = self.case["name"].encode()
        self.run("prepare", WARMUP)
        self.torch.cuda.synchronize()
        with warnings.catch_warnings(record=True) as seen:
            warnings.simplefilter("always")
            self.torch.cuda.set_sync_debug_mode("warn")
            self.probe.call("gatebot_arm")
            self.probe.call("gatebot_region_enter", name)
            try:
                self.run("call")
            finally:
                self.probe.call("gatebot_region_exit", name)
                self.probe.call("gatebot_disarm")
                self.torch.cuda.set_sync_debug_mode("default")
        return sum("synchronizing CUDA operation" in str(w.message) for w in seen)

    def capture(self):
        """(graph, error, kinds of nodes or None)."""
        cuda, kinds = self.torch.cuda, None
        try:
            graph, raw = cuda.CUDAGraph(keep_graph=True), True
        except TypeError:  # older releases keep no raw graph
            graph, raw = cuda.CUDAGraph(), False
        self.run("prepare", WARMUP)
        cuda.synchronize()
        try:
            with cuda.graph(graph, capture_error_mode="global"):
                self.run("call")
            if raw:
                kinds = node_kinds(graph.raw_cuda_graph())
                graph.instantiate()
        except Exception as err:
            return None, words(err), None
        return graph, "", kinds

    def replay(self, graph):
        """For each step whether the replay gave the bits of the eager step."""
        same = []
        for i in REPLAYS:
            self.step(i)
            want = self.bits()
            self.run("prepare", i)
            graph.replay()
            same.append(want == self.bits())
        return same

    def bits(self):
        out = eval(self.case["out"], self.names)
        return out.detach().contiguous().view(self.torch.uint8).cpu().numpy().tobytes()

    def measure(self):
        done = {}
        try:
            self.warm()
            done["warned"] = self.watch()
        except Exception as err:
            done["eager"] = words(err)
            return done
        graph, done["capture"], kinds = self.capture()
        if kinds is not None:
            done["nodes"] = kinds
        if graph is not None and self.case.get("out"):
            try:
                done["replay"] = self.replay(graph)
            except Exception as err:
                done["replay_error"] = words(err)
        return done


def child(case, torch, out):
    quiet = os.open(os.devnull, os.O_WRONLY)
    os.dup2(quiet, 1)  # pieces may print
    piece = Piece(case, torch)
    done = piece.measure()
    piece.probe.call("gatebot_end")  # os._exit runs no exit handlers
    out.line(name=case["name"], pid=os.getpid(), device=torch.cuda.get_device_name(), **done)


def fork(case, torch, out, files):
    pid = os.fork()
    if pid:
        return pid
    code = 1
    try:
        if case.get("fresh"):
            os.execv(sys.executable, [sys.executable, os.path.abspath(__file__), *files, case["name"]])
        child(case, torch, out)
        code = 0
    except BaseException as err:
        print(f"{case['name']}: {words(err)}", file=sys.stderr, flush=True)
    finally:
        os._exit(code)


def ended(status, late):
    if late:
        return "took too long"
    if os.WIFSIGNALED(status):
        return f"signal {os.WTERMSIG(status)}"
    return f"exit code {os.WEXITSTATUS(status)}"


def main(cases, results, jobs, seconds):
    with open(cases) as f:
        todo = json.load(f)
    out = Out(results)
    try:
        import torch
    except Exception as err:
        out.line(missing=words(err))
        return
    if torch.version.cuda is None:
        out.line(missing=f"torch {torch.__version__} was built without CUDA")
        return
    out.line(torch=torch.__version__, cuda=torch.version.cuda, python=".".join(map(str, sys.version_info[:3])))
    todo, running = todo[::-1], {}
    while todo or running:
        while todo and len(running) < jobs:
            case = todo.pop()
            running[fork(case, torch, out, (cases, results))] = [case["name"], time.monotonic() + seconds, False]
        pid, status = os.waitpid(-1, os.WNOHANG)
        if pid in running:
            name, _, late = running.pop(pid)
            if status:
                out.line(name=name, pid=pid, died=ended(status, late))
            continue
        for pid, entry in running.items():
            if time.monotonic() > entry[1] and not entry[2]:
                entry[2] = True
                os.kill(pid, signal.SIGKILL)
        time.sleep(0.01)


def fresh(cases, results, name):
    """One case in an interpreter of its own."""
    import torch

    with open(cases) as f:
        case = next(c for c in json.load(f) if c["name"] == name)
    child(case, torch, Out(results))


if __name__ == "__main__":
    if len(sys.argv) == 4:
        fresh(*sys.argv[1:])
        os._exit(0)
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]), float(sys.argv[4]))
