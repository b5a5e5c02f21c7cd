"""Random numbers that a graph refuses."""
import torch


class Sampler(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.gens = [torch.Generator(device="cuda")]
        self.gen = torch.Generator(device="cuda")

    def forward(self, logits: torch.Tensor):
        noise = torch.rand(8, device="cuda", generator=self.gen)  # want "not registered with a graph"
        logits.exponential_(generator=self.gen)  # want "not registered with a graph"
        state = torch.cuda.get_rng_state()  # want "state of a generator"
        torch.cuda.set_rng_state(state)  # want "state of a generator"
        torch.manual_seed(0)  # want "state of a generator"
        self.gen.manual_seed(1)  # want "state of a generator"
        for gen in self.gens:
            logits.exponential_(generator=gen)  # possible "not registered with a graph"
        return logits + noise
