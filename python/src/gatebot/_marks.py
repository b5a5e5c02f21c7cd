"""Regions, eager breaks and steps."""

import contextlib
import threading

from gatebot import _probe


class _Open(threading.local):
    """The regions open on this thread, outermost first."""

    def __init__(self):
        self.names = []


_open = _Open()


def active():
    """Whether a probe is recording this process."""
    lib = _probe.find()
    return lib is not None and bool(lib.gatebot_active())


def _enter(name):
    lib = _probe.find()
    if lib is not None:
        lib.gatebot_region_enter(name)


def _resume(name):
    lib = _probe.find()
    if lib is not None:
        # A probe from before it had this counts a second run.
        getattr(lib, "gatebot_region_resume", lib.gatebot_region_enter)(name)


def _exit(name):
    lib = _probe.find()
    if lib is not None:
        lib.gatebot_region_exit(name)


@contextlib.contextmanager
def region(name):
    """A part of the step that is, or is to be, captured. A context manager and a decorator; regions nest."""
    if not isinstance(name, str) or not name or "\0" in name:
        raise ValueError(f"gatebot.region: {name!r} is no name (give a text that is not empty)")
    raw = name.encode()
    _open.names.append(raw)
    _enter(raw)
    try:
        yield
    finally:
        _exit(raw)
        _open.names.pop()


@contextlib.contextmanager
def eager():
    """A part inside a region that stays eager: what it does is no matter of the graph around it.

    The regions around it end here and go on behind it; that is one run of each of them and not two.
    """
    names, _open.names = _open.names, []
    for name in reversed(names):
        _exit(name)
    try:
        yield
    finally:
        for name in names:
            _resume(name)
        _open.names = names


@contextlib.contextmanager
def step(i):
    """Decode step ``i``, a host integer."""
    lib = _probe.find()
    if lib is not None:
        lib.gatebot_step(int(i), 1)
    try:
        yield
    finally:
        lib = _probe.find()
        if lib is not None:
            lib.gatebot_step(int(i), 0)
