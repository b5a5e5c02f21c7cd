"""Hooks that do not wait, or are not there in production."""
import torch

DEBUG = False


class Monitor:
    def __init__(self, model):
        self.buf = torch.zeros(1, device="cuda")
        model.register_forward_hook(self.note)
        model.register_forward_hook(lambda m, a, out: print(m.name, out.shape))

        def probe(module, args, out):
            self.count = out.max().item()

        handle = self.measured(model, probe)

    def measured(self, model, probe):
        handle = model.register_forward_hook(probe)

        def dump(module, args, out):
            print(out)

        again = model.register_forward_hook(dump)
        model(self.buf)
        again.remove()  # a measurement
        return handle

    def note(self, module, args, out):
        self.buf.copy_(out.norm())


def decode_step(model, x: torch.Tensor):
    torch.autograd.set_detect_anomaly(False)
    return model(x)
