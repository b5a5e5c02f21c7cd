"""Counts that stay on the device."""
import torch
import torch.distributed as dist


class Dispatcher:
    def dispatch(self, x, num_tokens_per_expert):
        return x


class MoE(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.mine = Dispatcher()

    def forward(self, x: torch.Tensor, counts: torch.Tensor, signal):
        recv = self.buffer.low_latency_dispatch(x, counts, 128, 64)
        worst = self.buffer.dispatch(x, num_tokens_per_rank=counts, num_worst_tokens=512)
        out = torch.empty_like(x)
        dist.all_to_all_single(out, x)
        dist.all_to_all_single(out, x, [4, 4], [4, 4])
        dist.all_to_all_single(out, x, None, None)
        y = torch._grouped_mm(x, self.w, offs=counts)
        z = self.mine.dispatch(x, num_tokens_per_expert=counts)
        signal.dispatch("done")
        return recv, worst, y, z
