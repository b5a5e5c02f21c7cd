"""What a captured graph holds, asked of the driver: torch tells of an empty graph by a warning only."""
import ctypes

KINDS = {0: "kernel", 1: "memcpy", 2: "memset", 3: "host", 4: "graph", 5: "empty", 6: "event_wait", 7: "event_record",
         8: "sem_signal", 9: "sem_wait", 10: "mem_alloc", 11: "mem_free", 12: "batch_mem_op", 13: "conditional"}

# What the driver says of a failed capture, as torch words it, with its code.
CODES = {
    "operation not permitted when stream is capturing": 900,
    "operation failed due to a previous error during capture": 901,
    "operation would result in a merge of separate capture sequences": 902,
    "capture was not ended in the same stream as it began": 903,
    "capturing stream has unjoined work": 904,
    "dependency created on uncaptured work in another stream": 905,
    "operation would make the legacy stream depend on a capturing blocking stream": 906,
    "operation not permitted on an event last recorded in a capturing stream": 907,
    "attempt to terminate a thread-local capture sequence from another thread": 908,
}


def code(text):
    return next((c for words, c in CODES.items() if words in text), 0)


def new_graph(torch):
    """(graph, whether its nodes can be counted): older releases keep no raw graph."""
    try:
        return torch.cuda.CUDAGraph(keep_graph=True), True
    except TypeError:
        return torch.cuda.CUDAGraph(), False


def count(raw):
    """(nodes, {kind: nodes}) of a CUgraph, child graphs included."""
    cu = ctypes.CDLL("libcuda.so.1")
    handle, n = ctypes.c_void_p(raw), ctypes.c_size_t(0)
    if cu.cuGraphGetNodes(handle, None, ctypes.byref(n)):
        return -1, {}
    nodes = (ctypes.c_void_p * max(1, n.value))()
    if n.value and cu.cuGraphGetNodes(handle, nodes, ctypes.byref(n)):
        return -1, {}
    total, kinds = n.value, {}
    for node in nodes[: n.value]:
        kind = ctypes.c_int(-1)
        cu.cuGraphNodeGetType(ctypes.c_void_p(node), ctypes.byref(kind))
        name = KINDS.get(kind.value, f"kind{kind.value}")
        kinds[name] = kinds.get(name, 0) + 1
        if name == "graph":
            child = ctypes.c_void_p()
            if not cu.cuGraphChildGraphNodeGetGraph(ctypes.c_void_p(node), ctypes.byref(child)) and child.value:
                more, inner = count(child.value)
                total += max(0, more)
                for k, v in inner.items():
                    kinds[k] = kinds.get(k, 0) + v
    return total, kinds
