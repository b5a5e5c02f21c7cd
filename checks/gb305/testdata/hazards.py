"""Workspaces for one call."""
import torch
import flashinfer


class Layer(torch.nn.Module):
    def forward(self, x: torch.Tensor):
        workspace = torch.empty(1 << 20, dtype=torch.uint8, device=x.device)  # want "`workspace` is scratch memory"
        flashinfer.gemm(x, workspace)
        tmp_buf = torch.empty(1 << 20, dtype=torch.uint8, device="cuda")  # want "`tmp_buf` is scratch memory"
        return flashinfer.gemm(x, out=tmp_buf)
