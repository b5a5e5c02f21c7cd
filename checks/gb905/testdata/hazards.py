"""Plans that wait."""
import torch
from flashinfer import BatchDecodeWithPagedKVCacheWrapper


class AttentionBuilder:
    def __init__(self, workspace):
        self.indptr = torch.zeros(9, dtype=torch.int32, device="cuda")
        self.lens = torch.zeros(8, dtype=torch.int32, device="cuda")
        self.wrapper = BatchDecodeWithPagedKVCacheWrapper(workspace)

    def build(self, indices: torch.Tensor, n: int):
        self.wrapper.plan(self.indptr[: n + 1], indices, n)  # want "`self.indptr.: n . 1.` on the device"
        self.wrapper.begin_forward(indices, n, last_page_len=self.lens)  # want "`self.lens` on the device"
