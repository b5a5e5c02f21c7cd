#!/usr/bin/env bash
# One run of gatebot as a step of a GitHub workflow (action.yml). Inputs come as INPUT_*; nothing of the event is pasted into
# a command line. The exit code is gatebot's own: 1 a violation, 2 a mistake of the configuration, 3 no verdict.
set -euo pipefail

# The commit whose findings are known. A shallow clone may not have it: then it is fetched, and a base that cannot be had is
# an error, since without it every old finding would be taken for new.
base=$INPUT_BASE
if [ -z "$base" ]; then
  base=$(python3 - "$GITHUB_EVENT_PATH" <<'PY'
import json, sys
event = json.load(open(sys.argv[1]))
zero = "0" * 40
for path in (("pull_request", "base", "sha"), ("merge_group", "base_sha"), ("before",)):
    at = event
    for key in path:
        at = at.get(key) if isinstance(at, dict) else None
    if isinstance(at, str) and at.strip("0"):
        print(at)
        break
PY
)
fi
if [ -n "$base" ] && ! git cat-file -e "$base^{commit}" 2>/dev/null; then
  git fetch --quiet --no-tags --depth 1 origin "$base" || {
    echo "::error title=gatebot::the base commit $base could not be fetched (check out with fetch-depth: 0)"
    exit 3
  }
fi

args=("--fail-on" "$INPUT_FAIL_ON")
[ -z "$base" ] || args+=("--base" "$base")
[ -z "$INPUT_CONFIG" ] || args+=("--config" "$INPUT_CONFIG")

code=0
case $INPUT_COMMAND in
scan)
  gatebot scan "${args[@]}" --format json --output "$INPUT_RESULTS" || code=$?
  ;;
check)
  [ "$INPUT_REQUIRE_GPU" != true ] || args+=("--require-gpu")
  gatebot check "${args[@]}" --results "$INPUT_RESULTS" --format github || code=$?
  ;;
*)
  echo "::error title=gatebot::command is '$INPUT_COMMAND', want scan or check"
  exit 2
  ;;
esac
if [ ! -s "$INPUT_RESULTS" ]; then
  echo "::error title=gatebot::no results were written: no verdict"
  [ "$code" -ne 0 ] || code=3
  exit "$code"
fi

# The same findings again in the forms that GitHub shows. The cache makes the second look short, and neither of them decides.
if [ "$INPUT_COMMAND" = scan ]; then
  gatebot scan "${args[@]}" --format github || true
fi
[ -z "$INPUT_SARIF" ] || gatebot scan "${args[@]}" --format sarif --output "$INPUT_SARIF" || true
[ -z "$INPUT_REPORT" ] || gatebot report "$INPUT_RESULTS" --output "$INPUT_REPORT"

verdict=$(python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))["verdict"])' "$INPUT_RESULTS")
echo "verdict=$verdict" >> "$GITHUB_OUTPUT"
python3 - "$INPUT_RESULTS" >> "$GITHUB_STEP_SUMMARY" <<'PY'
import json, sys
r = json.load(open(sys.argv[1]))
def cell(s):
    return str(s).replace("|", "\\|").replace("\n", " ").replace("<", "&lt;")
print(f"### gatebot: {r['verdict']}\n")
for reason in r.get("reasons") or []:
    print(f"- {cell(reason)}")
print("\n| check | result | why |\n|---|---|---|")
for c in r["checks"]:
    print(f"| {cell(c['name'])} | {cell(c['status'])} | {cell(c.get('reason', ''))} |")
PY
exit "$code"
