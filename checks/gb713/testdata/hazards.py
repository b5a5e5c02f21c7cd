"""Addresses as data."""
import torch


class Grouped(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.table = torch.zeros(8, dtype=torch.int64, device="cuda")

    def forward(self, x: torch.Tensor, outs: list[torch.Tensor]):
        ptrs = torch.tensor([o.data_ptr() for o in outs], device="cuda")  # want "holds addresses of tensors"
        later = []
        for o in outs:
            later.append(o.data_ptr())
        more = torch.tensor(later, dtype=torch.int64, device=x.device)  # want "holds addresses of tensors"
        self.table[0] = x.data_ptr()  # want "gets the address"
        return ptrs, more
