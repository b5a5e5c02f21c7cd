"""transformers' own generate() with tiny random configurations and a static cache, gated without a change to it: generate.py
llama|gpt_oss [planted]. With "planted" a hook of the model reads a value in every forward."""

import sys

import torch
import transformers

name = sys.argv[1]
torch.manual_seed(0)
sizes = dict(vocab_size=128, hidden_size=64, intermediate_size=64, num_hidden_layers=2, num_attention_heads=4, num_key_value_heads=2,
             head_dim=16, max_position_embeddings=128)
if name == "gpt_oss":
    sizes |= dict(num_local_experts=4, num_experts_per_tok=2, sliding_window=16)
config = {"llama": transformers.LlamaConfig, "gpt_oss": transformers.GptOssConfig}[name](**sizes, pad_token_id=0, eos_token_id=None)
model = transformers.AutoModelForCausalLM.from_config(config).to("cuda", torch.bfloat16).eval()
peaks = []


def watch(module, args, logits):
    peaks.append(logits.max().item())  # want GB101: one read a forward


if "planted" in sys.argv:
    model.lm_head.register_forward_hook(watch)
ids = torch.randint(1, 128, (1, 4), device="cuda")
out = model.generate(ids, attention_mask=torch.ones_like(ids), max_new_tokens=6, do_sample=False, cache_implementation="static",
                     disable_compile=True)  # a compiled forward is no longer the function that was named
print(out.shape)
