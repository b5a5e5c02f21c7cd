"""Phase 1 on two devices: the first half of the layers and the head on cuda:0, the rest on cuda:1."""
import gate_phase1
from gate_phase1 import build, prepare, reference, regions, step  # noqa: F401

gate_phase1.DEVICES = 2
