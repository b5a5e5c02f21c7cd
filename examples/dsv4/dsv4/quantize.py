"""Block-scaled 4-bit numbers (NVFP4), emulated: e2m1 values, one e4m3 scale for 16 of them, one global scale."""
import torch

BLOCK = 16
E2M1 = (0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0)
E4M3_MAX = 448.0


class Quantizer(torch.nn.Module):
    def __init__(self, device: torch.device):
        super().__init__()
        self.register_buffer("grid", torch.tensor(E2M1, device=device))
        self.register_buffer("edges", (self.grid[1:] + self.grid[:-1]) / 2)

    def forward(self, x: torch.Tensor, gsa: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """x [rows, k] to values on the e2m1 grid [rows, k] and scales [rows, k / 16] in e4m3."""
        blocks = x.unflatten(-1, (-1, BLOCK))
        scale = (blocks.abs().amax(dim=-1) / (gsa * E2M1[-1])).clamp(max=E4M3_MAX).to(torch.float8_e4m3fn)
        step = (scale.float() * gsa).unsqueeze(-1)
        scaled = torch.where(step > 0, blocks / step, 0.0)
        q = self.grid[torch.bucketize(scaled.abs(), self.edges)].copysign(scaled)
        return q.flatten(-2), scale


def fake_quantized(w: torch.Tensor, quantizer: Quantizer, gs: torch.Tensor) -> torch.nn.Parameter:
    """A weight [..., in, out] rounded to what 4 bits hold, once, at load time."""
    q, scale = quantizer(w.transpose(-1, -2).flatten(0, -2), gs)
    back = (q.unflatten(-1, (-1, BLOCK)) * scale.float().unsqueeze(-1)).flatten(-2) * gs
    back = back.view(w.transpose(-1, -2).shape).transpose(-1, -2).contiguous()
    return torch.nn.Parameter(back, requires_grad=False)


def broadcast_gsa(gsa: torch.Tensor, rows: int, out: torch.Tensor) -> torch.Tensor:
    """The global scale for each row. The kernels read it by address, so that it has to be contiguous: a reshape for one
    row, a copy into a buffer for more."""
    if rows == 1:
        return gsa.reshape(1)
    out.copy_(gsa)
    return out
