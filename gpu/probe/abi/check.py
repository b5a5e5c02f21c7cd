#!/usr/bin/env python3
"""Checks what the probe takes for granted of CUPTI against the headers and libraries of CUDA 11.8, 12 and 13: python3 check.py

Fetches NVIDIA's wheels once (about 60 MB) into .cache/cupti, which git ignores; nothing of them is committed. For each version it
builds abi.c, whose assertions are about layouts; compares every offset in the table of calls (native/calls.c) with the structs
of parameters, by name; and lets the library name its callbacks, as the probe does. Exit 1: something does not fit.
"""
import glob
import os
import re
import subprocess
import sys
import zipfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(HERE)))
CACHE = os.path.join(ROOT, ".cache", "cupti")
# (name, CUPTI's package, the runtime's, where the probe looks for the library beside site-packages)
VERSIONS = (("11.8", "nvidia-cuda-cupti-cu11==11.8.87", "nvidia-cuda-runtime-cu11==11.8.89", "nvidia/cuda_cupti/lib/libcupti.so.11.8"),
            ("12.1", "nvidia-cuda-cupti-cu12==12.1.105", "nvidia-cuda-runtime-cu12==12.1.105", "nvidia/cuda_cupti/lib/libcupti.so.12"),
            ("12.9", "nvidia-cuda-cupti-cu12==12.9.79", "nvidia-cuda-runtime-cu12==12.9.79", "nvidia/cuda_cupti/lib/libcupti.so.12"),
            ("13.0", "nvidia-cuda-cupti==13.0.85", "nvidia-cuda-runtime==13.0.96", "nvidia/cu13/lib/libcupti.so.13"),
            ("13.5", "nvidia-cuda-cupti==13.5.25", "nvidia-cuda-runtime==13.5.37", "nvidia/cu13/lib/libcupti.so.13"))
# What a field that a role of the table points at is called in the headers.
ROLES = {"stream": r"(h|src|dst)?stream(id)?", "handle": r"h?(event|graph|graphexec|module|library|start|end|mod)(exec)?|p?graphexec|hgraphexec|phgraphexec",
         "bytes": r"(byte)?count|(byte)?size|bytes(ize)?|n|width(inbytes)?|sharedmem(bytes)?", "times": r"height|rows",
         "ptr": r"(dev)?ptr|dptr|p|array|mipmappedarray|handle|hostptr", "out": r"(p)?(dev|host)?ptr|dptr|pp|phost|handle|pdev|pitcheddevptr|(mipmapped)?array",
         "mode": r"mode", "dst": r"dst(device|host)?|devptr|pitcheddevptr", "src": r"src(device|host)?", "kind": r"kind"}
WORDS = re.compile(r"Memcpy|Memset|Synchronize|Query$|Malloc|MemAlloc|HostAlloc|BatchAsync|StreamBeginCapture|LaunchKernel|LaunchCooperative")
# Calls of those words that the probe leaves out on purpose: nothing waits, nothing is copied, or they are long gone.
LEFT_OUT = re.compile(r"^cu64|^__cudaLaunchKernel|Prefetch|Discard|GetMem|Peer(Register|Unregister)|Node|GetParams|SetParams|OccupancyM|Attribute|GetAddress|LaunchKernel(Multi|_ptsz)|CooperativeKernelMultiDevice|"
                      r"cudaLaunch$|ConfigureCall|Array(Sparse|Get|Memory)|MemAllocationGranularity|MemoryRequirements|HostAllocGet|FlagsGet|"
                      r"GraphAdd|GraphExec|MulticastG|Tex|GLM|GLU|D3D|VDPAU|Graphics|Peer(Get|Can)|cuOccupancy|RetainAllocation|cudaFuncG|ExternalMemory|MemRangeG")


# crt/host_defines.h comes with the compiler, which is large. For layouts a C compiler needs this much of it.
HOST = """#define CUDARTAPI
#define __device_builtin__
#define __device_builtin_texture_type__
#define __device_builtin_surface_type__
#define __cudart_builtin__
#define __host__
#define __device__
#define __global__
#define __inline__ inline
#define __forceinline__ inline
#define __specialization_static static
#define __align__(n) __attribute__((aligned(n)))
#define __builtin_align__(n) __align__(n)
#define CUDARTAPI_CDECL
"""


def fetch(version, packages):
    dir = os.path.join(CACHE, version)
    if not os.path.exists(os.path.join(dir, "ready")):
        os.makedirs(dir, exist_ok=True)
        subprocess.run([sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--only-binary=:all:", "-d", dir, *packages], check=True)
        for wheel in glob.glob(dir + "/*.whl"):
            with zipfile.ZipFile(wheel) as z:
                z.extractall(dir)
            os.unlink(wheel)
        os.makedirs(os.path.join(dir, "crt"), exist_ok=True)
        with open(os.path.join(dir, "crt", "host_defines.h"), "w", encoding="utf-8") as f:
            f.write(HOST)
        open(os.path.join(dir, "ready"), "w").close()
    return dir


def table():
    """[(name, {role: offset}, layout)] of the rows of calls.c."""
    with open(os.path.join(HERE, "..", "native", "calls.c"), encoding="utf-8") as f:
        text = f.read()
    rows = []
    for kind, body in re.findall(r"^\s+(ROW|COPY|SET|ALLOC)\(((?:[^()]|\([^()]*\))*)\),", text, re.M):
        name = re.match(r'"(\w+)"', body).group(1)
        roles = {r: int(n) for r, n in re.findall(r"\.(\w+) = AT\((\d+)\)", body)}
        roles.update({"SET": {"dst": 0}, "ALLOC": {"out": 0}}.get(kind, {}))
        rows.append((name, roles, "L_LAUNCH" if ".layout = L_LAUNCH," in body + "," else ""))
    return rows


def base(name):
    return re.sub(r"(_v\d+|_ptsz|_ptds)+$", "", name)


def structs(dir):
    """{struct of parameters: [fields]} of the generated headers."""
    out = {}
    for file in ("generated_cuda_meta.h", "generated_cuda_runtime_api_meta.h"):
        path, = glob.glob(os.path.join(dir, "**", file), recursive=True)
        with open(path, encoding="utf-8", errors="replace") as f:
            for body, name in re.findall(r"typedef struct \w+_st \{(.*?)\} (\w+)_params;", f.read(), re.S):
                if "_v1" in body:
                    continue  # the interface of CUDA 3.1, with device pointers of 32 bits: no 64-bit program calls it
                out[name] = re.findall(r"(\w+)(?:\[\w+\])?;", body)
    return out


def check(version, cupti, runtime, library, rows):
    dir = fetch(version, (cupti, runtime))
    wrong, have, known = [], structs(dir), {r[0]: r for r in rows}
    lines = []
    for name, fields in have.items():
        if base(name) in known:
            lines += [f"FIELD({name}_params, {base(name)}, -, {f})" for f in fields]
    with open(os.path.join(dir, "fields.h"), "w", encoding="utf-8") as f:
        f.write("\n".join(lines) + "\n")
    include = sorted({os.path.dirname(p) for n in ("cuda.h", "cupti_callbacks.h") for p in glob.glob(f"{dir}/nvidia/**/{n}", recursive=True)})
    program = os.path.join(dir, "abi")
    done = subprocess.run(["gcc", "-std=c11", "-D_GNU_SOURCE", "-D__CUDA_API_VERSION_INTERNAL", "-w", *[f"-I{i}" for i in [dir, *include]], os.path.join(HERE, "abi.c"),
                           os.path.join(HERE, "..", "native", "calls.c"), "-o", program, os.path.join(dir, library), "-ldl", "-Wl,--unresolved-symbols=ignore-all"],
                          text=True, capture_output=True)
    if done.returncode:
        return [f"does not build: {done.stderr.strip()[:1500]}"], ""
    done = subprocess.run([program, os.path.join(dir, library)], text=True, capture_output=True,
                          env={**os.environ, "LD_LIBRARY_PATH": os.path.dirname(os.path.join(dir, library))})
    if done.returncode:
        return [f"abi ended with {done.returncode}: {done.stderr.strip()[:500]}"], ""
    layout, callbacks, seen, number = {}, [], set(), ""
    for line in done.stdout.splitlines():
        word, *rest = line.split("\t")
        if word == "version":
            number = rest[0]
        elif word == "library":
            wrong.append("the library: " + rest[0])
        elif word == "callback":
            callbacks.append((int(rest[0]), int(rest[1]), rest[2]))
            seen.add(rest[3])
        else:
            row, _, field, offset, size = rest
            layout.setdefault((word.removesuffix("_params"), row), {})[int(offset)] = (field, int(size))
    offsets = 0
    for (variant, row), fields in sorted(layout.items()):
        second = re.fullmatch(re.escape(row) + r"(_ptsz|_ptds)?", variant)
        if second and not row.startswith("cuda") and f"{row}_v2{second.group(1) or ''}" in have:
            continue  # replaced before CUDA 11: cuda.h has called the second version for as long
        _, roles, kind = known[row]
        if kind == "L_LAUNCH":
            grid, block = fields.get(8), fields.get(20)
            if not grid or not block or "grid" not in grid[0].lower() or "block" not in block[0].lower():
                wrong.append(f"{variant}: grid and block are not at 8 and 20 but {fields}")
        for role, at in roles.items():
            offsets += 1
            field, size = fields.get(at, ("nothing", 0))
            if not re.fullmatch(ROLES[role], field, re.I):
                wrong.append(f"{variant}: {role} at {at} is {field}")
    if not callbacks:
        said = f"headers {number}: {len(layout)} structs, {offsets} offsets; the library answers nothing without a driver"
        return wrong, said
    gap = 0
    for domain in (1, 2):
        ids = [i for d, i, _ in callbacks if d == domain]
        if ids and max(ids) >= 4096:
            wrong.append(f"callback ids up to {max(ids)}: the probe looks at 4096")
        gap = max([gap, *[b - a for a, b in zip(ids, ids[1:])], *ids[:1]])
    if gap >= 200:
        wrong.append(f"a hole of {gap} in the callback ids: the probe gives up at 200")
    new = sorted({base(n) for _, _, n in callbacks if not base(n) in known and WORDS.search(base(n)) and not LEFT_OUT.search(n)})
    for n in new:
        wrong.append(f"the library has {n}, which the table does not know")
    missing = sorted(n for n in known if n not in seen)
    said = f"headers {number}: {len(layout)} structs, {offsets} offsets, {len(callbacks)} callbacks, {len(seen) - ('' in seen)} of {len(known)} rows"
    return wrong, said + (f"; it has no {', '.join(missing)}" if missing else "")


def main():
    rows, bad = table(), 0
    if len(rows) < 150:
        sys.exit(f"check.py: only {len(rows)} rows were read from calls.c")
    for v in VERSIONS:
        wrong, said = check(*v, rows)
        print(f"{v[0]}: {said}")
        for w in wrong:
            print("   WRONG", w)
        bad += len(wrong)
    sys.exit(1 if bad else 0)


main()
