"""Phase 1 for the gate: attention is the break. Each layer is two graphs, before and after it; the head is one."""
import os

import torch

from dsv4.decoding import Decoding, config_from, devices_from
from dsv4.eager_attend import EagerAttend
from dsv4.model import DSV4
from dsv4.reference import plain

DEVICES = 1


class State:
    def __init__(self, device):
        self.cfg = config_from(os.environ)
        self.devices = devices_from(device, DEVICES)
        self.model = DSV4(self.cfg, EagerAttend, self.devices)
        self.decoding = Decoding(self.model)
        self.plain = None


def build(device):
    return State(device)


def prepare(state, i):
    state.decoding.prepare(i)


@torch.no_grad()
def step(state, i):
    logits, tokens = state.model.decode_step(i)
    return {"logits": logits, "tokens": tokens}


def regions(state):
    found = {"embed": (state.model.embed, "forward"), "head": (state.model.head, "forward")}
    layers = [layer for stage in state.model.stages for layer in stage.layers]
    for n, layer in enumerate(layers):
        found[f"L{n:02}.pre"] = (layer, "pre")
        found[f"L{n:02}.post"] = (layer, "post")
    for n, stage in enumerate(state.model.stages):
        found[f"rope{n}"] = (stage.rope, "at")
    return found


reference_tolerance = (0, 0)


@torch.no_grad()
def reference(state, i):
    """Step i as plain arithmetic gives it, bit for bit. Steps are asked for in order, from the first; sixteen are enough,
    since each costs another step."""
    if i >= 16:
        return {}
    if i == 0:
        state.plain = Decoding(plain(state.cfg, EagerAttend, state.devices))
    state.plain.prepare(i)
    logits, tokens = state.plain.model.decode_step(i)
    return {"logits": logits, "tokens": tokens}
