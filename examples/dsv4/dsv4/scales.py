"""Where the kernels expect block scales: tiles of 128 rows by 4 columns, each stored as [32, 4, 4]."""
import torch

TILE_ROWS, TILE_COLUMNS = 128, 4


def padded(n: int, to: int) -> int:
    return (n + to - 1) // to * to


def swizzle(scales: torch.Tensor) -> torch.Tensor:
    """[rows, columns], both padded, to the flat order of the tiles."""
    rows, columns = scales.shape
    tiles = scales.view(rows // TILE_ROWS, 4, 32, columns // TILE_COLUMNS, TILE_COLUMNS)
    return tiles.permute(0, 3, 2, 1, 4).flatten()


def unswizzle(flat: torch.Tensor, rows: int, columns: int, groups: int = 1) -> torch.Tensor:
    """What a kernel for rows by columns reads: it knows its own shape only, and takes the tiles from the start. Each group
    begins a tile."""
    r, c = groups * padded(rows // groups, TILE_ROWS), padded(columns, TILE_COLUMNS)
    tiles = flat[: r * c].view(r // TILE_ROWS, c // TILE_COLUMNS, 32, 4, TILE_COLUMNS)
    by_group = tiles.permute(0, 3, 2, 1, 4).reshape(groups, r // groups, c)
    return by_group[:, : rows // groups, :columns].reshape(rows, columns)


def scale_buffer(rows: int, columns: int, device: torch.device, groups: int = 1) -> torch.Tensor:
    """Room for the scales of groups of up to rows by columns; flat, since calls of another size share it."""
    n = groups * padded(rows, TILE_ROWS) * padded(columns, TILE_COLUMNS)
    return torch.zeros(n, device=device).to(torch.float8_e4m3fn)


def assemble_scales(scale: torch.Tensor, buf: torch.Tensor, groups: int = 1) -> torch.Tensor:
    """Puts scales [rows, columns] into the buffer, each group at the start of a tile, and swizzles them. The view has the
    size of this call, not of the buffer: the kernel finds its tiles by its own shape."""
    rows, columns = scale.shape[0] // groups, scale.shape[1]
    r, c = groups * padded(rows, TILE_ROWS), padded(columns, TILE_COLUMNS)
    view = buf[: r * c].view(r, c)
    view.unflatten(0, (groups, -1))[:, :rows, :columns].copy_(scale.unflatten(0, (groups, -1)))
    return swizzle(view)
