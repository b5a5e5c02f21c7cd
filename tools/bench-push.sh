#!/usr/bin/env bash
# Times the pre-push hook on a clone of vLLM (VLLM_DIR): the newest ten commits with nothing remembered, one commit of two
# files after that, the same push again, ten commits that the hook has looked at when each was made, and the plumbing that
# any tool needs to see what is pushed. With PUSH_CACHE, a directory that an earlier run has filled, the first is not pushed
# with nothing remembered, and is not printed.
set -euo pipefail

if [[ -z "${VLLM_DIR:-}" ]]; then
	echo "bench-push: NOT RUN: VLLM_DIR names no checkout (git clone https://github.com/vllm-project/vllm and set it)" >&2
	exit 0
fi
rounds=${ROUNDS:-3}
gatebot=${GATEBOT:-$PWD/bin/gatebot}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export GATEBOT_CACHE="${PUSH_CACHE:-$work/cache}"
git clone -q --shared --no-checkout "$VLLM_DIR" "$work/repo"
cd "$work/repo"
git config user.name bench
git config user.email bench@example.com

# hook BASE TIP, once the remote has BASE: 1 is "refused", which is an answer too.
known() { git update-ref refs/remotes/origin/main "$1"; }
hook() {
	printf 'refs/heads/x %s refs/heads/main %s\n' "$2" "$1" | "$gatebot" hook pre-push origin "$work/far" >/dev/null 2>"$work/err" ||
		[[ $? -eq 1 ]] || { cat "$work/err" >&2; exit 3; }
}
plumbing() { git diff-tree -r "$1" "$2" | awk '{print $4}' | grep -v '^0*$' | git cat-file --batch >/dev/null; }
clock() {
	local start
	start=$(date +%s%N)
	"$@"
	echo $((($(date +%s%N) - start) / 1000000))
}
# commit N: a line at the end of two files of HEAD.
commit() {
	local file
	git read-tree HEAD
	for file in vllm/v1/worker/gpu_model_runner.py vllm/v1/sample/sampler.py; do
		git update-index --cacheinfo "100644,$({ git cat-file blob "HEAD:$file"; echo "# $1"; } | git hash-object -w --stdin),$file"
	done
	git commit-tree -p HEAD -m "bench $1" "$(git write-tree)"
}
# made COMMIT: what git calls once HEAD is there.
made() {
	git update-ref refs/heads/bench "$1"
	git symbolic-ref HEAD refs/heads/bench
	"$gatebot" hook post-commit >/dev/null 2>"$work/err" || { cat "$work/err" >&2; exit 3; }
}
smallest() { sort -n | head -1; }

head=$(git rev-parse HEAD)
ten=$(git rev-list --first-parent -n 11 HEAD | tail -1)
echo "machine: $(nproc) cores, load $(cut -d' ' -f1-3 /proc/loadavg 2>/dev/null || uptime), $(date -u +%F), $("$gatebot" --version), $(git rev-parse --short HEAD)"
known "$ten"
first=$(clock hook "$ten" "$head")
[[ -n "${PUSH_CACHE:-}" ]] || printf '%-44s %7d ms\n' 'push of ten commits, nothing remembered' "$first"
hook "$ten" "$head"
known "$head"
one=$(for ((i = 0; i < rounds; i++)); do clock hook "$head" "$(commit "$i $$")"; done | smallest)
known "$ten"
again=$(for ((i = 0; i < rounds; i++)); do clock hook "$ten" "$head"; done | smallest)
bare=$(for ((i = 0; i < rounds; i++)); do clock plumbing "$ten" "$head"; done | smallest)
# With a memory of their own: they leave it at other trees than the pushes above start from.
cp -r "$GATEBOT_CACHE" "$work/looks"
export GATEBOT_CACHE="$work/looks"
older=$(git rev-list --first-parent -n 21 "$head" | tail -1)
made=0
for c in $(git rev-list --first-parent --reverse "$older..$ten"); do
	ms=$(clock made "$c")
	made=$((ms > made ? ms : made))
done
known "$older"
looked=$(for ((i = 0; i < rounds; i++)); do clock hook "$older" "$ten"; done | smallest)
printf '%-44s %7d ms\n' 'push of one new commit of two files' "$one" 'the ten commits again' "$again" 'git diff-tree and cat-file of the ten' "$bare"
printf '%-44s %7d ms\n' 'push of ten, each looked at when it was made' "$looked" 'the longest of these looks' "$made"
awk -v a="$again" -v o="$one" -v b="$bare" 'BEGIN { printf "%-44s %.2f and %.2f (reach: at most 3, and 300 ms)\n", "again and one / plumbing", a / b, o / b }'
