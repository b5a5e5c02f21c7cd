"""Cuts kept traces down to what can be stored: python trim.py OUT.tar.xz FOLDER [STEP…].

A run of 303 steps records launches, operations and allocations of eight of them. All but those of the given steps are left
out, and the counts that end the files say so many fewer; waits, copies to and from the host, outputs, graphs and measures
stay as they are. Whoever judges the traces gets the same verdict, from fewer repetitions; the checks of drift and allocations
compare steps, and need two.
"""
import bisect
import glob
import io
import json
import os
import re
import sys
import tarfile

BULK = re.compile(r'\{"ev":"(?:launch|op|alloc)"|\{"ev":"api".*"copy":\{"dir":"dtod"')
WHOLE = re.compile(r'\{"ev":"api".*"copy":\{|\{"ev":"same"')  # what else of a step the drift check compares
TIME = re.compile(r'"t":(\d+)')


def spans(files):
    """(began, ended, step, phase) of the eager steps of the phases that record in bulk."""
    out, phase, began = [], "", 0
    for file in files:
        with open(file, encoding="utf-8") as f:
            for line in f:
                if not line.startswith(('{"ev":"phase"', '{"ev":"step"')):
                    continue
                e = json.loads(line)
                if e["ev"] == "phase":
                    phase = e["name"]
                elif e["at"] == "enter":
                    began = e["t"]
                elif phase in ("sync", "drift", "alloc"):
                    out.append((began, e["t"], e["i"], phase))
    return out


def trim(file, cut):
    """The lines of a file without the bulk of the cut spans."""
    kept, dropped = [], 0
    cut = sorted(cut)
    starts = [a for a, _, _ in cut]
    with open(file, encoding="utf-8") as f:
        for line in f:
            if BULK.match(line) or WHOLE.match(line):
                t = int(TIME.search(line).group(1))
                at = bisect.bisect_right(starts, t) - 1
                # The drift check compares whole steps: nothing of a cut one may stay.
                if at >= 0 and t <= cut[at][1] and (BULK.match(line) or cut[at][2] == "drift"):
                    dropped += 1
                    continue
            kept.append(line)
    end = json.loads(kept[-1])
    if end["ev"] == "end":
        end["events"] -= dropped
        kept[-1] = json.dumps(end, separators=(",", ":")) + "\n"
    return "".join(kept), len(kept), dropped


def main():
    out, folder, keep = sys.argv[1], sys.argv[2], {int(s) for s in sys.argv[3:]}
    files = sorted(glob.glob(os.path.join(folder, "*.ndjson")))
    found = spans(f for f in files if "probe" not in f)
    with tarfile.open(out, "w:xz", preset=6) as tar:
        for file in files:
            text, n, dropped = trim(file, [(a, b, p) for a, b, i, p in found if keep and i not in keep])
            data = text.encode()
            info = tarfile.TarInfo(os.path.basename(file))
            info.size = len(data)
            tar.addfile(info, io.BytesIO(data))
            print(f"{os.path.basename(folder)}/{os.path.basename(file)}: {n} lines, {dropped} left out, {len(data) >> 10} KiB")


main()
