"""Seams that hold."""
import torch


class Runner:
    def __init__(self, pre, post):
        self.pre = pre
        self.post = post
        self.q = torch.zeros(8, 8, device="cuda")
        self.attn_out = torch.zeros(8, 8, device="cuda")

    def run(self, kv: torch.Tensor, n: int):
        self.pre.replay()
        self.attn_out.copy_(torch.matmul(self.q, kv))
        later = torch.matmul(self.q, kv)
        self.attn_out.copy_(later)
        torch.matmul(self.q, kv, out=self.attn_out)
        filled = self.attn_out.add_(1)  # in place
        rows = len(kv) + n  # of the host
        self.rows = rows
        self.post.replay()
        self.result = torch.softmax(self.attn_out, -1)  # after the last replay
        return self.result, filled

    def run_one(self, kv: torch.Tensor):
        self.attn_out = torch.matmul(self.q, kv)  # before the only replay: GB703 looks at those
        self.post.replay()
