"""The host's side of decoding: what it writes before a step and reads after it, outside of every graph."""
import torch

from .config import Config
from .model import DSV4

STOP = 0  # the token that ends a sequence


class Decoding:
    def __init__(self, model: DSV4):
        self.model = model
        self.finished = [False] * model.cfg.batch

    def prepare(self, step: int) -> None:
        """Stages the tokens of the step: the prompt's first ones, then what the device sampled."""
        cfg = self.model.cfg
        if step == 0:
            tokens = [(17 * b + 3) % cfg.vocab for b in range(cfg.batch)]
        else:
            tokens = self.model.head.sampler.sampled.tolist()
        self.model.embed.tokens.stage(tokens, step)

    def stop(self) -> bool:
        """Whether every sequence has ended. It reads the device, and is not part of the step."""
        for b, token in enumerate(self.model.head.sampler.sampled.tolist()):
            self.finished[b] = self.finished[b] or token == STOP
        return all(self.finished)


def config_from(env: dict[str, str]) -> Config:
    """DSV4_LAYERS, DSV4_HIDDEN and so on change a size."""
    sizes = {}
    for field in Config.__dataclass_fields__:
        if (text := env.get("DSV4_" + field.upper())) is not None:
            sizes[field] = int(text)
    return Config(**sizes)


def devices_from(device: str, count: int) -> list[torch.device]:
    """The first devices of the kind that is asked for; the same one several times where there is only a CPU."""
    if device == "cpu":
        return [torch.device("cpu")] * count
    return [torch.device("cuda", n) for n in range(count)]
