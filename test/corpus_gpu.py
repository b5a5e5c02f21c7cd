#!/usr/bin/env python3
"""Gates every Python case of testdata/corpus and every module of testdata/steps on a GPU, and compares.

    python3 test/corpus_gpu.py GATEBOT OUT [--jobs 14] [--only SUBSTRING,...] [--limit SECONDS]

GATEBOT is the program, with gatebot-gpu (and gatebot-probe.so, to run under the probe) beside it. Each case runs in a
folder of its own below /tmp/gatebot-corpus. OUT gets results.tar.gz (the results files), traces.tar.gz (what
checks/judge/testdata/h200.tar.gz is made of) and table.tsv. Exits 1 when a case is not as expect.yaml says.
"""
import argparse
import glob
import json
import os
import shutil
import subprocess
import sys
import tarfile
import time
from concurrent.futures import ThreadPoolExecutor

import yaml

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), ".."))
WORK = "/tmp/gatebot-corpus"
# The measurement in expect.yaml had run the step in the same process before, so that Triton had everything tuned.
ELSEWHERE = {"065-autotune-keyed-on-step"}
# What must not matter to the cases that are wrong in value alone.
INVARIANCE = {"067-scale-expand-stride0": "{batch: [y, dense]}", "068-swizzle-oversized-view": "{scratch: [sb.buf]}"}
# The verdict of each module of testdata/steps: "-" stands for a run that was ended at its time limit.
VERDICTS = {"assert": "error", "bucketed": "pass", "exits": "error", "failing_region": "fail", "fork": "pass", "hang": "-",
            "huge": "error", "layers": "pass", "none": "error", "nobuild": "error", "nostep": "error", "prints": "pass", "sidestream": "fail",
            "structure": "error", "stride0": "fail", "view_size": "fail", "declared": "pass", "suppressed": "fail", "ten": "fail", "tf_deepseek_v3": "pass", "tf_gpt_oss": "fail",
            "tf_llama": "pass", "tf_mixtral": "pass", "tf_qwen3_moe": "pass"}
# Modules of testdata/steps that need two devices, left out where there is one.
TWO = {"two_devices": "pass", "two_devices_whole": "pass", "ranks": "pass", "ranks_sync": "fail", "ranks_exit": "error",
       "ranks_scratch": "fail", "ranks_scratch_fixed": "pass"}
VERDICTS.update(TWO)


def gate(args, card, name, files, entry):
    if args.limit and time.time() - args.began > args.limit:
        return name, -1, 0, None, "not run: the limit of this call was reached"
    work = os.path.join(WORK, *name.split("."))
    shutil.rmtree(work, ignore_errors=True)
    os.makedirs(work)
    for f in files:
        shutil.copy(f, work)
    out = os.path.join(WORK, "out", name)
    cmd = [args.gatebot, "check", "--results", out + ".json", "--keep-traces", out + ".traces",
           "--timeout", "60s" if "hang" in name else "240s"]
    cmd += ["--entry", entry] if entry else []
    if len(files) > 1 and entry:  # wrong in value alone: beside its twin
        cmd += ["--reference", "good.py"]
        with open(os.path.join(work, ".gatebot.yaml"), "w") as f:
            f.write(f"step: {{invariance: {INVARIANCE[name.split('.')[0]]}}}\n")
    began = time.time()
    env = {**os.environ, "OMP_NUM_THREADS": "1"}  # many at once: each would start a thread for every core
    if card is not None:
        env["CUDA_VISIBLE_DEVICES"] = str(card)
    p = subprocess.run(cmd, cwd=work, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    res = None
    if os.path.exists(out + ".json"):
        with open(out + ".json") as f:
            res = json.load(f)
    return name, p.returncode, time.time() - began, res, p.stdout.decode("utf-8", "replace")


def lines(res, path, check=None, evidence=None):
    out = set()
    for f in res["findings"]:
        told = [e.get("message", "") for e in f["evidence"]]
        by = {f["check"]} | {m.split(":")[0] for m in told}
        if f["path"] == path and (check is None or check in by) and (evidence is None or any(evidence in m for m in told)):
            out.add(f["line"])
    return sorted(out)


def compare(name, rc, res, log):
    """What is not as expect.yaml says, as a list of words."""
    case, kind = name.split(".")
    path = kind + ".py"
    with open(f"{ROOT}/testdata/corpus/{case}/expect.yaml") as f:
        want = yaml.safe_load(f)
    m = (want.get("measured") or {}).get(kind) or {}
    if res is None:
        return [f"no results (exit {rc}): {log[-200:]}"]
    checks, bad = {c["name"]: c for c in res["checks"]}, []
    status = {k: c["status"] for k, c in checks.items()}
    if kind == "good":
        for k, c in checks.items():
            if c["status"] != "pass":
                bad.append(f"{k} {c['status']}: {c.get('reason', '')[:150]}")
        bad += [f"{f['rule']} at {f['line']}: {f['message'][:80]}" for f in res["findings"]
                if f["severity"] != "info" and not f["suppressed"]]
        return bad
    if m.get("capture") == "eager-raises":
        if status["sync"] != "error" or f"{path}:{m['capture_line']}" not in checks["sync"].get("reason", ""):
            bad.append(f"raises: {checks['sync']}")
        return bad
    for k in want["kind"]:
        sees = k == "sync" or k == "alloc" or k == "capture" and m["capture"] == "raises" or k == "replay" and "wrong" in m["capture"]
        if sees and not set(want["lines"]) & set(lines(res, path, k)):
            bad.append(f"{k}: found {lines(res, path, k)}, want {want['lines']} ({status[k]}: {checks[k].get('reason', '')[:100]})")
    torch = lines(res, path, evidence="sync-debug mode warned")
    if torch != m["torch_sync_debug_lines"]:
        bad.append(f"torch's mode {torch}, measured {m['torch_sync_debug_lines']}")
    if case in ELSEWHERE:
        return bad
    if want["kind"] == ["invariance"]:
        reason = checks["replay"].get("reason", "")
        if (status["capture"], status["replay"], rc) != ("pass", "fail", 1) or "something else than good.py" not in reason:
            bad.append(f"beside its twin: capture {status['capture']}, replay {status['replay']} ({reason[:150]}), exit {rc}")
        if not set(want["lines"]) & set(lines(res, path, "replay")):
            bad.append(f"found {lines(res, path, 'replay')}, want {want['lines']}")
        return bad
    expected = {"raises": ("fail", "not_run"), "ok": ("pass", "pass"), "ok-but-wrong-replay": ("pass", "fail")}[m["capture"]]
    if (status["capture"], status["replay"]) != expected:
        bad.append(f"capture, replay {status['capture']}, {status['replay']}, want {expected}: {checks['capture'].get('reason', '')[:150]}")
    if m["capture_line"] and m["capture_line"] not in lines(res, path, "capture"):
        bad.append(f"capture raised at {lines(res, path, 'capture')}, measured {m['capture_line']}")
    if rc == 0 and m["capture"] != "ok":
        bad.append("exit 0")
    return bad


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("gatebot")
    ap.add_argument("out")
    ap.add_argument("--jobs", type=int, default=14)
    ap.add_argument("--only", default="")
    ap.add_argument("--limit", type=float, default=0, help="start no module later than this, in seconds; 0: no limit")
    args = ap.parse_args()
    args.began = time.time()
    args.gatebot = os.path.abspath(args.gatebot)
    os.makedirs(os.path.join(WORK, "out"), exist_ok=True)
    os.makedirs(args.out, exist_ok=True)
    jobs = []
    for f in sorted(glob.glob(f"{ROOT}/testdata/corpus/*/*.py")):
        case, kind = os.path.basename(os.path.dirname(f)), os.path.basename(f)[:-3]
        with open(os.path.join(os.path.dirname(f), "expect.yaml")) as e:
            twin = [os.path.join(os.path.dirname(f), "good.py")] if kind == "bad" and yaml.safe_load(e)["kind"] == ["invariance"] else []
        jobs.append((f"{case}.{kind}", [f] + twin, kind + ".py"))
    for d in sorted(glob.glob(f"{ROOT}/testdata/steps/*/")):
        jobs.append((f"steps.{os.path.basename(d[:-1])}", glob.glob(d + "*.py") + [d + ".gatebot.yaml"], None))
    cards = len(subprocess.run(["nvidia-smi", "-L"], stdout=subprocess.PIPE, check=True).stdout.splitlines())
    jobs.sort(key=lambda j: (j[0].removeprefix("steps.") not in TWO, not j[0].startswith("steps."), j[0]))
    jobs = [j for j in jobs if any(o in j[0] for o in args.only.split(",")) and (cards > 1 or j[0].removeprefix("steps.") not in TWO)]
    began, wrong, table = time.time(), 0, []
    with ThreadPoolExecutor(args.jobs) as pool:
        # One card to a module, in turn, but for those that need two.
        each = [(None if cards < 2 or j[0].removeprefix("steps.") in TWO else k % cards, *j) for k, j in enumerate(jobs)]
        for name, rc, took, res, log in pool.map(lambda j: gate(args, *j), each):
            checks = {c["name"]: c for c in (res or {"checks": []})["checks"]}
            table.append("\t".join([name, str(rc), (res or {}).get("verdict", "-"), f"{took:.1f}"] +
                                   [f"{k}={c['status']}" for k, c in checks.items()]))
            if name.startswith("steps."):
                off = (res or {}).get("verdict", "-") != VERDICTS[name.split(".")[1]]
                wrong += off
                print("WRONG" if off else "ok",name, rc, "|".join(f"{k} {c['status']}: {c.get('reason', '')[:110]}" for k, c in checks.items()) or log[-200:])
                continue
            bad = compare(name, rc, res, log)
            wrong += bool(bad)
            if bad:
                print("WRONG", name, rc, *bad, sep="\n    ")
    print(f"{len(jobs)} runs in {time.time() - began:.0f} s, {wrong} not as expected")
    with open(os.path.join(args.out, "table.tsv"), "w") as f:
        f.write("\n".join(table) + "\n")
    for what, pattern in (("results", "*.json"), ("traces", "*.traces/*")):
        with tarfile.open(os.path.join(args.out, what + ".tar.gz"), "w:gz") as t:
            for f in sorted(glob.glob(os.path.join(WORK, "out", pattern))):
                t.add(f, os.path.relpath(f, os.path.join(WORK, "out")).replace(".traces/", "/"))
    sys.exit(1 if wrong else 0)


main()
