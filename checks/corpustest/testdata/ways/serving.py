"""FINE code only, in vLLM's style: nothing here waits. Everything found is a false positive, but for the lines marked H."""
from __future__ import annotations

import enum
import logging
import math
import os
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, NamedTuple, Optional, Protocol

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn

logger = logging.getLogger(__name__)
USE_X = os.environ.get("USE_X", "0") == "1"


class Kind(enum.IntEnum):
    A = 0
    B = 1


class CpuGpuBuffer:
    def __init__(self, *size, dtype, device, pin_memory=True):
        self.cpu = torch.zeros(*size, dtype=dtype, device="cpu", pin_memory=pin_memory)
        self.np = self.cpu.numpy()
        self.gpu = torch.zeros_like(self.cpu, device=device)

    def copy_to_gpu(self, n=None):
        if n is None:
            return self.gpu.copy_(self.cpu, non_blocking=True)
        return self.gpu[:n].copy_(self.cpu[:n], non_blocking=True)


@dataclass
class CommonMeta:
    query_start_loc: torch.Tensor
    query_start_loc_cpu: torch.Tensor
    seq_lens: torch.Tensor
    seq_lens_cpu: torch.Tensor
    num_reqs: int
    num_actual_tokens: int
    max_query_len: int
    max_seq_len: int
    block_table: torch.Tensor
    slot_mapping: torch.Tensor
    causal: bool = True
    names: list[str] = field(default_factory=list)


@dataclass
class Meta:
    num_decodes: int
    num_prefills: int
    decode: Optional[CommonMeta] = None
    scale: float = 1.0


class Builder:
    reorder: ClassVar[int] = 1

    def __init__(self, device, cfg):
        self.device = device
        self.buf = CpuGpuBuffer(64, dtype=torch.int32, device=device)
        self.arange = torch.arange(1024, device=device)
        self.arange_np = np.arange(1024)
        self.cfg = cfg

    def build(self, prefix: int, common: CommonMeta) -> Meta:
        n = common.num_reqs
        qlens_cpu = common.query_start_loc_cpu[1:] - common.query_start_loc_cpu[:-1]
        is_prefill = qlens_cpu > 1
        if torch.any(is_prefill):
            first = is_prefill.int().argmax(dim=-1).item()
        else:
            first = n
        nd = int((qlens_cpu == 1).sum().item())
        mx = int(common.seq_lens_cpu.max())
        if mx > 128 and nd > 0 and first >= 0:
            mx = 128
        self.buf.np[:n] = self.arange_np[:n]
        self.buf.copy_to_gpu(n)
        if common.max_query_len > 1 or common.max_seq_len % 4 == 0:
            pass
        bt = common.block_table[:n]
        sl = common.seq_lens[:n]
        tokens = common.query_start_loc_cpu[-1].item()
        lens = common.seq_lens_cpu.tolist()
        num = sum(lens[:nd])
        cu = np.cumsum(np.asarray(lens))
        if cu[-1] > 10 and num > 3 and tokens > 3:
            pass
        return Meta(num_decodes=nd, num_prefills=n - nd, decode=common if nd else None)


class Attn(nn.Module):
    def __init__(self, h, device, prefix=""):
        super().__init__()
        self.w = nn.Parameter(torch.randn(h, h, device=device))
        self.k_scale = torch.ones(1, device=device)
        self.k_scale_float = 1.0
        self.window = (-1, -1)
        self.prefix = prefix
        self.layer_id = int(prefix.split(".")[-1]) if prefix else 0
        self.quant = None
        self.eps = 1e-6
        self.scale = h ** -0.5
        self.out = torch.empty(64, h, device=device)
        self.kinds = [Kind.A, Kind.B]
        self.tp = int(os.environ.get("TP", "1"))

    def forward(self, x: torch.Tensor, kv: list[torch.Tensor], meta: Meta | None, pos: torch.Tensor):
        if meta is None:
            return x
        n = meta.num_decodes
        if n > 0 and self.layer_id % 2 == 0 and self.k_scale_float != 1.0:
            x = x * self.k_scale
        out = self.out[: x.shape[0]]
        torch.mm(x, self.w, out=out)
        cache = kv[self.layer_id]
        if cache.numel() > 0 and cache.dtype != torch.uint8 and cache.shape[1] == 64:
            k, v = cache.unbind(0) if cache.dim() == 5 else (cache, cache)
            x = x + k.sum() * v.sum()
        b, s = x.shape
        q, kk, vv = x.split([b, b, b], dim=-1) if s == 3 * b else (x, x, x)
        assert x.shape[-1] == self.w.shape[0], f"{x.shape} {self.w.shape} {self.prefix}"
        assert x.is_cuda and x.is_contiguous() and x.stride(-1) == 1
        num_splits = max(1, min(8, math.ceil(b / 64)))
        if USE_X or num_splits > 1 or torch.version.hip is not None:
            x = x * num_splits
        y = F.pad(x, (0, (8 - b % 8) % 8))
        z = y.view(b, -1, 2).transpose(0, 1).reshape(2, b, -1)
        mask = pos >= 0
        z = torch.where(mask.view(1, -1, 1), z, torch.zeros_like(z))
        x = x.masked_fill(~mask.unsqueeze(-1), 0.0)
        idx = torch.topk(x, k=min(4, x.shape[-1]), dim=-1).indices
        g = x.gather(-1, idx)
        x = x.scatter_add(-1, idx, g)
        t = x.new_empty((b, self.w.size(1)))
        t.zero_()
        t[:, 0].fill_(1.0)
        t[0] = 0
        t[..., 1:2] *= 0.5
        for i, k in enumerate(self.kinds):
            if k == Kind.A and i == 0:
                t = t + i
        for i in range(x.shape[0] // 4):
            t = t + x[i]
        for name, p in self.named_parameters():
            if "w" in name and p.ndim == 2:
                t = t + p.sum()
        if self.tp > 1 and torch.distributed.is_initialized() and torch.distributed.get_world_size() > 1:
            torch.distributed.all_reduce(x)
        if logger.isEnabledFor(logging.DEBUG):
            logger.debug("shape %s", tuple(x.shape))
        if self.quant is not None:
            x = self.quant.apply(self, x)
        if (d := getattr(self, "sinks", None)) is not None:
            x = x + d
        if x.dtype in (torch.float16, torch.bfloat16) and not torch.is_grad_enabled():
            x = x.float()
        if torch.cuda.get_device_capability()[0] >= 9 and torch.cuda.is_available():
            x = x + 1
        if isinstance(kv, list) and len(kv) and all(k.is_cuda for k in kv) and any(k.numel() for k in kv):
            x = x + 1
        lo, hi = self.window
        if lo >= 0 or hi >= 0:
            x = x + lo
        bounds = [0, *[p.shape[0] for p in kv]]
        starts = np.cumsum(bounds)
        for a, b2 in zip(starts[:-1], starts[1:]):
            x[a:b2].zero_()
        e = x.element_size() * x.nelement()
        if e > 1 << 20 and x.data_ptr() != out.data_ptr() and x.untyped_storage().nbytes() > 3:
            x = x + 1
        with torch.inference_mode(), torch.autocast("cuda", enabled=False):
            x = F.rms_norm(x, (x.shape[-1],), self.w[0], self.eps)
        x = F.scaled_dot_product_attention(x, x, x, attn_mask=mask, scale=self.scale)
        x = F.layer_norm(x, x.shape[-1:], self.w[0], self.w[1], self.eps)
        x = F.interpolate(x[None, None], size=(b, s), mode="nearest")[0, 0]
        x = torch.roll(x, shifts=(1, self.layer_id), dims=(0, 1))
        x = torch.baddbmm(x, x, x, beta=0, alpha=self.scale)
        r = torch.arange(b, device=x.device, dtype=torch.int32)
        h = F.one_hot(idx, num_classes=s)
        c = torch.cumsum(h, 0)[-1]
        o = torch.repeat_interleave(r, 2, output_size=2 * b)
        return x


class Runner:
    def __init__(self, device):
        self.device = device
        self.model = Attn(64, device, "l.0")
        self.builder = Builder(device, {"a": 1})
        self.reqs: dict[str, int] = {}
        self.num_computed = np.zeros(8, dtype=np.int32)
        self.ids = CpuGpuBuffer(64, dtype=torch.int64, device=device)
        self.kv = [torch.zeros(2, 8, 8, 64, device=device)]
        self.ev = torch.cuda.Event()

    @torch.inference_mode()
    def execute_model(self, sched: Any, common: CommonMeta):
        n = len(self.reqs)
        if n == 0 or not sched.total:
            return None
        toks = np.array([sched.num[r] for r in self.reqs], dtype=np.int32)
        mx = toks.max()
        if mx > 1 and (toks == 1).all() and self.num_computed[:n].sum() > 0:
            mx = 1
        self.ids.np[:n] = toks
        self.ids.copy_to_gpu(n)
        meta = self.builder.build(0, replace(common, num_reqs=n))
        x = self.ids.gpu[:n].float().unsqueeze(-1).expand(-1, 64)
        out = self.model(x, self.kv, meta, self.ids.gpu[:n])
        if out is None or out.shape[0] != n:
            return None
        self.ev.record()
        return out


def build(device):
    return {"r": Runner(device), "s": None, "c": None}


def step(state, i):
    return state["r"].execute_model(state["s"], state["c"])
