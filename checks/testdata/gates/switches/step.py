import os

import torch
from envs import envs

_verify_real = os.environ.get("X_VERIFY", "0") == "1"
_fused = os.environ.get("X_FUSED", "0") == "1"
_checked = os.environ.get("X_CHECK", "1") == "1"
_logged = envs.X_TRACE_SYNC.get()


def diagnostics_enabled():
    return any(os.getenv(name, "") for name in ("A", "B"))


def log_stats(x: torch.Tensor):
    if not diagnostics_enabled():
        return
    x.mean().item()  # off


def decode_step(x: torch.Tensor, loss_mask=None):
    if _verify_real:
        x.max().item()  # off
    verify = _verify_real and x.is_contiguous()
    if verify:
        x.max().item()  # off
    if _fused:
        x.max().item()  # gates: a feature
    if _checked:
        x.max().item()  # gates: on by default
    if envs.X_TRACE_SYNC.get():
        x.max().item()  # off
    if envs.X_CHECK_BOUNDS.get():
        x.max().item()  # gates: on by default
    if envs.X_USE_FAST.get():
        x.max().item()  # gates: a feature
    if loss_mask is not None:
        x[loss_mask].max().item()  # off
    log_stats(x)
    trace_e2e = envs.X_TRACE_SYNC.get()
    if trace_e2e:
        x.max().item()  # off
    if _logged and x.ndim == 2:
        x.max().item()  # off
