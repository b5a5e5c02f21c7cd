#include "region.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "out.h"
#include "python.h"

// With sys.monitoring (Python 3.12) a function is found by its own name when it first runs, however it was imported,
// decorated or defined; every other function is switched off after its first call, so the cost is once per function.
// Before 3.12 the attribute of the module or class is replaced, now or when the module has been imported.
//
// JAX waits for the device outside of any CUDA call, on threads that run no Python. Where its arrays are read on the host,
// its own Python function says so (3.12 and later).
static const char script[] =
    "def _gatebot(lib, names, reads):\n"
    "    import ctypes, functools, sys, threading\n"
    "    lib = ctypes.CDLL(lib)\n"
    "    enter, leave = lib.gatebot_region_enter, lib.gatebot_region_exit\n"
    "    enter.argtypes = leave.argtypes = [ctypes.c_char_p]\n"
    "    enter.restype = leave.restype = None\n"
    "    wait = lib.gatebot_host_wait\n"
    "    wait.argtypes, wait.restype = [ctypes.c_char_p, ctypes.c_int], None\n"
    "    wanted = {}\n"
    "    for n in filter(None, names.split('\\n')):\n"
    "        module, _, qual = n.partition(':')\n"
    "        wanted[(module, qual)] = n.encode()\n"
    "    waits = {('jax._src.array', 'ArrayImpl._value'): b'jax.Array read on the host',\n"
    "             ('jax._src.api', 'block_until_ready'): b'jax.block_until_ready'} if reads else {}\n"
    "    quals = {q for _, q in wanted} | {q for _, q in waits}\n"
    "    if hasattr(sys, 'monitoring'):\n"
    "        m = sys.monitoring\n"
    "        tool = next((i for i in (4, 3, 0, 1, 2, 5) if m.get_tool(i) is None), None)\n"
    "        if tool is None:\n"
    "            raise RuntimeError('gatebot: every sys.monitoring tool id is taken')\n"
    "        m.use_tool_id(tool, 'gatebot')\n"
    "        E = m.events\n"
    "        known, getframe = {}, sys._getframe\n"
    "        def mark(name, at):\n"
    "            (enter if at else leave)(name)\n"
    "        def what(code):\n"
    "            if code.co_qualname not in quals:\n"
    "                return None\n"
    "            if code not in known:\n"
    "                at = (getframe(2).f_globals.get('__name__'), code.co_qualname)\n"
    "                known[code] = (mark, wanted[at]) if at in wanted else (wait, waits[at]) if at in waits else None\n"
    "            return known[code]\n"
    "        def start(code, offset):\n"
    "            w = what(code)\n"
    "            if w is None:\n"
    "                return m.DISABLE\n"
    "            w[0](w[1], 1)\n"
    "        def end(code, offset, value):\n"
    "            w = known.get(code)\n"
    "            if w is None:\n"
    "                return m.DISABLE\n"
    "            w[0](w[1], 0)\n"
    "        def unwind(code, offset, exc):\n"
    "            w = known.get(code)\n"
    "            if w is not None:\n"
    "                w[0](w[1], 0)\n"
    "        m.register_callback(tool, E.PY_START, start)\n"
    "        m.register_callback(tool, E.PY_RESUME, start)\n"
    "        m.register_callback(tool, E.PY_RETURN, end)\n"
    "        m.register_callback(tool, E.PY_YIELD, end)\n"
    "        m.register_callback(tool, E.PY_UNWIND, unwind)\n"
    "        m.set_events(tool, E.PY_START | E.PY_RESUME | E.PY_RETURN | E.PY_YIELD | E.PY_UNWIND)\n"
    "        return\n"
    "    if not wanted:\n"
    "        return\n"
    "    def wrap(module, qual, name):\n"
    "        owner = sys.modules.get(module)\n"
    "        *path, last = qual.split('.')\n"
    "        for p in path:\n"
    "            owner = getattr(owner, p, None)\n"
    "        raw = vars(owner).get(last) if owner is not None else None\n"
    "        kind = type(raw) if isinstance(raw, (staticmethod, classmethod)) else None\n"
    "        f = raw.__func__ if kind else raw\n"
    "        if not callable(f) or hasattr(f, '_gatebot'):\n"
    "            return hasattr(f, '_gatebot')\n"
    "        @functools.wraps(f)\n"
    "        def region(*a, **k):\n"
    "            enter(name)\n"
    "            try:\n"
    "                return f(*a, **k)\n"
    "            finally:\n"
    "                leave(name)\n"
    "        region._gatebot = True\n"
    "        setattr(owner, last, kind(region) if kind else region)\n"
    "        return True\n"
    "    left = dict(wanted)\n"
    "    def retry():\n"
    "        for (module, qual), name in list(left.items()):\n"
    "            if wrap(module, qual, name):\n"
    "                left.pop((module, qual))\n"
    "    retry()\n"
    "    if left:\n"
    "        def profile(frame, event, arg):\n"
    "            if event == 'return' and frame.f_code.co_name == '<module>' or event == 'call':\n"
    "                retry()\n"
    "                if not left:\n"
    "                    sys.setprofile(None)\n"
    "                    threading.setprofile(None)\n"
    "        threading.setprofile(profile)\n"
    "        sys.setprofile(profile)\n"
    "_gatebot(%s, %s, %d)\n"
    "del _gatebot\n";

// Writes s as a Python string literal.
static char *literal(char *to, char *end, const char *s) {
  *to++ = '\'';
  for (; *s && to + 6 < end; s++) to += sprintf(to, (unsigned char)*s < 0x20 || *s == '\'' || *s == '\\' ? "\\x%02x" : "%c", (unsigned char)*s);
  *to++ = '\'', *to = 0;
  return to;
}

void region_funcs(const char *library) {
  static char source[sizeof script + 32768], path[16384], names[16384];
  const char *want = getenv("GATEBOT_REGION_FUNC"), *reads = getenv("GATEBOT_HOST_READS");
  bool host_reads = reads && !strcmp(reads, "1");
  if ((!want || !*want) && (!host_reads || !python_alive())) return;
  if (!want) want = "";
  literal(path, path + sizeof path, library);
  literal(names, names + sizeof names, want);
  snprintf(source, sizeof source, script, path, names, host_reads);
  python_run(source);
}
