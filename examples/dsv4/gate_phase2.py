"""Phase 2 for the gate: paged KV and the compressor on the device. The whole step is one graph for each bucket."""
import os

import torch

from dsv4.decoding import Decoding, config_from, devices_from
from dsv4.model import DSV4
from dsv4.paged_attend import PagedAttend
from dsv4.paged_attend import bucket as pages
from dsv4.reference import plain


class State:
    def __init__(self, device):
        self.cfg = config_from(os.environ)
        self.devices = devices_from(device, 1)
        self.model = DSV4(self.cfg, PagedAttend, self.devices)
        self.decoding = Decoding(self.model)
        self.plain = None


def build(device):
    return State(device)


def bucket(state, i):
    return pages(state.cfg, i)


def prepare(state, i):
    state.decoding.prepare(i)


@torch.no_grad()
def step(state, i):
    logits, tokens = state.model.decode_step(bucket(state, i))
    return {"logits": logits, "tokens": tokens}


reference_tolerance = (0, 0)


@torch.no_grad()
def reference(state, i):
    """Step i as plain arithmetic gives it, bit for bit. Steps are asked for in order, from the first; sixteen are enough,
    since each costs another step."""
    if i >= 16:
        return {}
    if i == 0:
        state.plain = Decoding(plain(state.cfg, PagedAttend, state.devices))
    state.plain.prepare(i)
    logits, tokens = state.plain.model.decode_step(bucket(state, i))
    return {"logits": logits, "tokens": tokens}
