"""Plans from what the host knows."""
import torch


class Planner:
    def plan(self, indptr):
        return indptr


class AttentionBuilder:
    def __init__(self, wrapper):
        self.indptr = torch.zeros(9, dtype=torch.int32, device="cuda")
        self.indptr_cpu = torch.zeros(9, dtype=torch.int32)
        self.indices = torch.zeros(64, dtype=torch.int32, device="cuda")
        self.wrapper = wrapper
        self.planner = Planner()

    def build(self, n: int):
        self.wrapper.plan(self.indptr_cpu[: n + 1], self.indices, n)
        self.wrapper.plan([0, 4, 8], self.indices, n)
        self.wrapper.plan(self.indices, n)
        self.planner.plan(self.indptr)  # of the project: its own body says what it does
