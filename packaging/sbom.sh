#!/usr/bin/env bash
# The bill of materials of one program, the same for the same program: sbom.sh PROGRAM OUT.cdx.json.
set -euo pipefail
program=${1:?program} out=${2:?file to write}
cyclonedx-gomod bin -json -licenses -noserial -output "$out" "$program"
# The time at which it was written says nothing of what is in it.
python3 - "$out" <<'PY'
import json, sys
with open(sys.argv[1]) as f:
    bom = json.load(f)
bom.get("metadata", {}).pop("timestamp", None)
with open(sys.argv[1], "w") as f:
    json.dump(bom, f, indent=2, sort_keys=True)
    f.write("\n")
PY
