"""What the 4-bit GEMM kernels do, as torch operations: scales come in swizzled order, the global scale by address."""
import torch

from .scales import unswizzle


def by_address(gsa: torch.Tensor, rows: int) -> torch.Tensor:
    """The rows numbers that lie at gsa's address, whatever its strides say."""
    return torch.as_strided(gsa, (rows, 1), (1, 1), gsa.storage_offset())


def dequantize(q: torch.Tensor, scales: torch.Tensor, gsa: torch.Tensor, groups: int = 1) -> torch.Tensor:
    """q [rows, k / 16, 16] to [rows, k]."""
    scale = unswizzle(scales, q.shape[0], q.shape[1], groups).float()
    return (q * scale.unsqueeze(-1)).flatten(1) * by_address(gsa, q.shape[0])


def gemm(q: torch.Tensor, scales: torch.Tensor, gsa: torch.Tensor, weight: torch.Tensor, out: torch.Tensor) -> torch.Tensor:
    """out [rows, n] = dequantized [rows, k] times weight [k, n]."""
    return torch.mm(dequantize(q, scales, gsa), weight, out=out)


def grouped_gemm(q: torch.Tensor, scales: torch.Tensor, gsa: torch.Tensor, weights: torch.Tensor, ends: torch.Tensor,
                 rows: torch.Tensor, out: torch.Tensor, scale_groups: int = 1) -> torch.Tensor:
    """Rows sorted by group, each times the weight of its group. ends [groups] is the row behind each group, on the device:
    the launch is the same however the rows are spread. scale_groups says how many groups of scales begin a tile."""
    group = torch.searchsorted(ends, rows, right=True)
    a = dequantize(q, scales, gsa, scale_groups)
    return torch.bmm(a.unsqueeze(1), weights[group], out=out).squeeze(1)
