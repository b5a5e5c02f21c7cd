#!/usr/bin/env bash
# Compares gatebot scan with ripgrep and ast-grep side by side on one checkout of vLLM (VLLM_DIR) and prints ratios.
# The runs are interleaved and the fastest of ROUNDS counts, so that what else the machine does hits all alike. What is
# not installed is skipped, and said. ast-grep comes from npm (@ast-grep/cli), ripgrep from the distribution.
set -euo pipefail

if [[ -z "${VLLM_DIR:-}" ]]; then
	echo "bench-scan: NOT RUN: VLLM_DIR names no checkout (git clone https://github.com/vllm-project/vllm and set it)" >&2
	exit 0
fi
rounds=${ROUNDS:-3}
gatebot=${GATEBOT:-$PWD/bin/gatebot}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# The words of the first user's checklist, as ripgrep and as ast-grep would look for them.
words='\.item\(\)|\.tolist\(\)|\.cpu\(\)|torch\.cuda\.synchronize\('
rules='id: bench
language: python
rule:
  any:
    - pattern: $X.item()
    - pattern: $X.tolist()
    - pattern: $X.cpu()
    - pattern: torch.cuda.synchronize()'

# 0 is clean and 1 is "found something" for every one of the tools.
found() { "$@" >/dev/null 2>"$work/err" || [[ $? -eq 1 ]] || { cat "$work/err" >&2; exit 3; }; }
cold() { rm -rf "$work/cache"; found env GATEBOT_CACHE="$work/cache" "$gatebot" scan --format json -o "$work/cold.json"; }
warm() { found env GATEBOT_CACHE="$work/cache" "$gatebot" scan --format json -o "$work/warm.json"; }
ripgrep() { found rg -n -t py -e "$words"; }
astgrep() { found ast-grep scan --inline-rules "$rules" --json=compact .; }

names=(cold warm)
if command -v rg >/dev/null; then names+=(ripgrep); else echo "bench-scan: ripgrep NOT RUN: no rg (apt install ripgrep)" >&2; fi
if command -v ast-grep >/dev/null; then names+=(astgrep); else echo "bench-scan: ast-grep NOT RUN: no ast-grep (npm install -g @ast-grep/cli)" >&2; fi

cd "$VLLM_DIR"
echo "machine: $(nproc) cores, load $(cut -d' ' -f1-3 /proc/loadavg 2>/dev/null || uptime), $(date -u +%F), $("$gatebot" --version), $(git ls-files '*.py' | wc -l) Python files at $(git rev-parse --short HEAD)"
declare -A best
for ((i = 0; i < rounds; i++)); do
	for name in "${names[@]}"; do
		start=$(date +%s%N)
		"$name"
		took=$((($(date +%s%N) - start) / 1000000))
		if [[ -z "${best[$name]:-}" || $took -lt ${best[$name]} ]]; then best[$name]=$took; fi
	done
done
if ! cmp -s <(grep -v '"duration_ms"' "$work/cold.json") <(grep -v '"duration_ms"' "$work/warm.json"); then
	echo "bench-scan: the warm scan gives other results than the cold one" >&2
	exit 1
fi
for name in "${names[@]}"; do printf '%-8s %7d ms\n' "$name" "${best[$name]}"; done
ratio() { [[ -z "${best[$2]:-}" ]] || awk -v a="${best[$1]}" -v b="${best[$2]}" -v n="$1 / $2" -v want="$3" 'BEGIN { printf "%-16s %.2f (reach: %s)\n", n, a / (b > 0 ? b : 1), want }'; }
ratio cold astgrep "at most 0.5"
ratio warm ripgrep "at most 3"
if [[ -x /usr/bin/time ]]; then
	rm -rf "$work/cache"
	GATEBOT_CACHE=off /usr/bin/time -f '%M' -o "$work/rss" "$gatebot" scan --format json -o "$work/cold.json" 2>/dev/null || [[ $? -eq 1 ]]
	printf 'memory   %7d MB resident at most (reach: under 300)\n' $(($(tail -1 "$work/rss") / 1024))
fi
