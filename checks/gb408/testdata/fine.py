"""Stop tests of the host."""
EOS_ID = 2
import torch


class Layer(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.randn(8, 8))
        self.register_buffer("table", torch.zeros(64, 8))
        self.vec = torch.zeros(8, device="cuda")
        self.mat = torch.zeros(8, 8, device="cuda")
        self.idx = torch.zeros(4, dtype=torch.int64, device="cuda")
        self.pos = torch.zeros((), dtype=torch.int64, device="cuda")
        self.mask = torch.ones(8, dtype=torch.bool, device="cuda")
        self.host = torch.zeros(8, 8)
        self.pinned = torch.zeros(8, 8, pin_memory=True)
        self.limit = 16
        self.ids = [1, 5, 7]

    def forward(self, x: torch.Tensor, last_token: int):
        # a host token
        if last_token == EOS_ID:
            return None
        # a mask on the device
        self.mask.logical_or_(x[0] == EOS_ID)
        # another branch: GB401
        if x.max() > 0:
            x = x + 1
        finished = x > 3
        if finished.any():  # goes on with other work: GB401, an error
            x = x * 2
        return x
