#!/usr/bin/env bash
# Records the traces of this folder on a machine with a GPU and torch, and tries gatebot probe there when a gatebot is
# given: record.sh OUT_DIR [GATEBOT]. ONLY="hazards llama" does only these.
set -uo pipefail
here=$(cd "$(dirname "$0")" && pwd)
out=${1:?where to put the traces} gatebot=${2:-}
mkdir -p "$out"
export GATEBOT_PROBE_SO=/tmp/gatebot-probe.so PYTHONUNBUFFERED=1
"$here/../../build.sh" "$GATEBOT_PROBE_SO" || exit 1
cd "$here/../../../.."
rel=gpu/probe/testdata/h200
wanted() { [ -z "${ONLY:-}" ] || [[ " $ONLY " == *" $1 "* ]]; }
probe() { # NAME ENV... -- COMMAND
  wanted "$1" || return 0
  local name=$1 env=(); shift
  while [ "$1" != -- ]; do env+=("$1"); shift; done
  shift
  rm -f "/tmp/$name".*
  env ${env[@]+"${env[@]}"} GATEBOT_TRACE="/tmp/$name" CUDA_INJECTION64_PATH="$GATEBOT_PROBE_SO" timeout 100 "$@" 2>&1 | tail -5
  cat "/tmp/$name".* | gzip -9n >"$out/$name.ndjson.gz"
}
probe hazards -- python3 $rel/hazards.py
probe regions GATEBOT_REGION_FUNC=__main__:Model.decode NVTX_INJECTION64_PATH="$GATEBOT_PROBE_SO" -- python3 $rel/regions.py
probe capture -- python3 $rel/capture.py
nvcc -o /tmp/plain -Xcompiler -rdynamic $rel/plain.cu && probe plain -- /tmp/plain
probe generate GATEBOT_REGION_FUNC=transformers.models.llama.modeling_llama:LlamaForCausalLM.forward -- python3 $rel/generate.py llama planted
probe taken -- python3 $rel/taken.py
for i in 1 2 3; do
  wanted overhead || break
  python3 $rel/overhead.py
  probe overhead -- python3 $rel/overhead.py
  [ $i = 1 ] && [ -z "${ONLY:-}" ] && python3 $rel/overhead.py profiler 2>/dev/null
done | tee "$out/overhead.txt"
rm -f "$out/overhead.ndjson.gz"
[ -n "$gatebot" ] || exit 0
gate() { # NAME FLAGS... -- COMMAND
  wanted "$1" || return 0
  local name=$1; shift
  echo "== $name"
  timeout 100 "$gatebot" probe --results "$out/$name.json" "$@" >"/tmp/$name.out" 2>"/tmp/$name.err"
  echo "exit $?"
  grep -aE "^[^ ].*(error|warn|verdict|fail)" "/tmp/$name.out" | head -12
  grep -a "  why  " "/tmp/$name.out" | head -12
  tail -2 "/tmp/$name.err" | cut -c1-300
}
gate contend --root . -- python3 $rel/contend.py
gate pytest --region-func test_decode:decode --root . -- python3 -m pytest -q $rel/test_decode.py
gate cupy --region-func __main__:decode --root . -- python3 $rel/cupy_step.py
gate jax --region-func __main__:decode --root . -- env XLA_PYTHON_CLIENT_PREALLOCATE=false python3 $rel/jax_step.py
gate llama --region-func transformers.models.llama.modeling_llama:LlamaForCausalLM.forward --root . -- python3 $rel/generate.py llama
gate gpt_oss --region-func transformers.models.gpt_oss.modeling_gpt_oss:GptOssForCausalLM.forward --root . -- python3 $rel/generate.py gpt_oss
gate planted --region-func transformers.models.llama.modeling_llama:LlamaForCausalLM.forward --root . -- python3 $rel/generate.py llama planted
gate sample --region-func transformers.generation.utils:GenerationMixin._sample --root . -- python3 $rel/generate.py llama
