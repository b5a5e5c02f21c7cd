"""Random numbers that move on with each replay."""
import torch


class Sampler(torch.nn.Module):
    def __init__(self):
        super().__init__()
        torch.manual_seed(0)  # load time
        self.cpu_gen = torch.Generator(device="cpu")
        self.noise = torch.zeros(8, device="cuda")

    def forward(self, logits: torch.Tensor, generator=None):
        self.noise.exponential_()
        noise = torch.rand(8, device="cuda")
        host = torch.rand(8, generator=self.cpu_gen)  # drawn on the host: another hazard, if it is used
        self.cpu_gen.manual_seed(1)
        torch.Generator().manual_seed(1)  # on the CPU without a device
        made = torch.Generator(device="cuda").manual_seed(1)
        made.manual_seed(2)
        maybe = torch.rand(8, device="cuda", generator=None)
        return logits + noise + self.noise + maybe, host
