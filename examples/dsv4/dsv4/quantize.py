"""Block-scaled 4-bit numbers (NVFP4), emulated: e2m1 values, one e4m3 scale for 16 of them, one global scale."""
import torch

BLOCK = 16
E2M1 = (0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0)
E4M3_MAX = 448.0


class Quantizer(torch.nn.Module):
    """The grid of e2m1 with its signs, as fractions of the largest value."""

    def __init__(self, device: torch.device):
        super().__init__()
        largest = E2M1[-1]
        grid = [-v / largest for v in reversed(E2M1[1:])] + [v / largest for v in E2M1]
        self.register_buffer("grid", torch.tensor(grid, device=device))
        self.register_buffer("edges", (self.grid[1:] + self.grid[:-1]) / 2)

    def forward(self, x: torch.Tensor, gsa: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """x [rows, k] to values on the grid [rows, k / 16, 16] and scales [rows, k / 16] in e4m3."""
        blocks = x.view(x.shape[0], -1, BLOCK)
        largest = torch.linalg.vector_norm(blocks, torch.inf, dim=-1)
        scale = (largest / gsa).clamp(max=E4M3_MAX).to(torch.float8_e4m3fn)
        step = (scale.float() * gsa).unsqueeze(-1)
        scaled = torch.where(step > 0, blocks / step, 0.0)
        return self.grid[torch.bucketize(scaled, self.edges)], scale


def fake_quantized(w: torch.Tensor, quantizer: Quantizer, gs: torch.Tensor) -> torch.nn.Parameter:
    """A weight [..., in, out] rounded to what 4 bits hold, once, at load time."""
    rows = w.transpose(-1, -2)
    q, scale = quantizer(rows.flatten(0, -2).contiguous(), gs)
    back = (q * scale.float().unsqueeze(-1)).flatten(-2) * gs
    return torch.nn.Parameter(back.view(rows.shape).transpose(-1, -2).contiguous(), requires_grad=False)


def broadcast_gsa(gsa: torch.Tensor, rows: int, out: torch.Tensor) -> torch.Tensor:
    """The global scale for each row. The kernels read it by address, so that it has to be contiguous: a reshape for one
    row, a copy into a buffer for more."""
    if rows == 1:
        return gsa.reshape(1)
    out.copy_(gsa)
    return out
