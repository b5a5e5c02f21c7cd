"""One decode step of a tiny random model of transformers, with a static cache."""
import torch
from transformers import AutoModelForCausalLM, Qwen3MoeConfig, StaticCache

CONFIG = Qwen3MoeConfig(hidden_size=64, intermediate_size=128, moe_intermediate_size=32, head_dim=16, num_experts=8, num_experts_per_tok=2, num_hidden_layers=2, num_attention_heads=4,
                     num_key_value_heads=2, vocab_size=256)


class State:
    pass


@torch.no_grad()
def build(device):
    s = State()
    s.model = AutoModelForCausalLM.from_config(CONFIG).to(device=device, dtype=torch.bfloat16).eval()
    s.cache = StaticCache(config=CONFIG, max_cache_len=64)
    s.tok = torch.zeros(2, 1, dtype=torch.int64, device=device)
    s.pos = torch.zeros(1, dtype=torch.int64, device=device)
    return s


@torch.no_grad()
def step(s, i):
    out = s.model(input_ids=s.tok, past_key_values=s.cache, use_cache=True, cache_position=s.pos,
                  position_ids=s.pos.expand(2, 1))
    s.tok.copy_(out.logits[:, -1:].argmax(-1))
    s.pos.add_(1)
    return out.logits
