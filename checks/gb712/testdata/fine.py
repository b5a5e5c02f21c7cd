"""Branches that only say something."""
import logging
logger = logging.getLogger(__name__)
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

    def forward(self, x: torch.Tensor):
        # logging only
        if not torch.cuda.is_current_stream_capturing():
            logger.info("step of %d rows", x.shape[0])
        return x + 1

    def graph_step(self, x: torch.Tensor):
        graph = torch.cuda.CUDAGraph()
        try:
            with torch.cuda.graph(graph):
                x.add_(1)
        except RuntimeError as err:
            raise RuntimeError("capture failed") from err
        try:
            x.add_(1)
        except RuntimeError:
            # no capture in the try
            return None
        return graph
