import threading

import pytest

import gatebot
from gatebot import _probe


class Recorder:
    """A probe that writes down what it is told."""

    def __init__(self):
        self.calls = []

    def gatebot_region_enter(self, name):
        self.calls.append("+" + name.decode())

    def gatebot_region_resume(self, name):
        self.calls.append("~" + name.decode())

    def gatebot_region_exit(self, name):
        self.calls.append("-" + name.decode())

    def gatebot_step(self, i, enter):
        self.calls.append(f"step {i} {enter}")

    def gatebot_active(self):
        return 1


@pytest.fixture
def probe(monkeypatch):
    r = Recorder()
    monkeypatch.setattr(_probe, "_probe", r)
    return r


def test_without_probe_nothing_happens(monkeypatch):
    monkeypatch.setattr(_probe, "_probe", None)
    monkeypatch.delenv("CUDA_INJECTION64_PATH", raising=False)
    with gatebot.region("a"), gatebot.eager(), gatebot.step(3):
        pass
    assert not gatebot.active()


def test_another_tools_injection_is_no_probe(monkeypatch):
    monkeypatch.setattr(_probe, "_probe", None)
    monkeypatch.setattr(_probe, "_looked_for", None)
    monkeypatch.setenv("CUDA_INJECTION64_PATH", "libc.so.6")  # loaded, and without our functions
    assert _probe.find() is None
    with gatebot.region("a"):
        pass


def test_regions_nest(probe):
    with gatebot.region("L00"), gatebot.region("moe"):
        pass
    assert probe.calls == ["+L00", "+moe", "-moe", "-L00"]
    assert gatebot.active()


def test_eager_leaves_every_region_and_comes_back(probe):
    with gatebot.region("L00"), gatebot.region("moe"):
        with gatebot.eager():
            with gatebot.region("inner"):
                pass
    assert probe.calls == ["+L00", "+moe", "-moe", "-L00", "+inner", "-inner", "~L00", "~moe", "-moe", "-L00"]


def test_an_exception_ends_the_region(probe):
    with pytest.raises(KeyError), gatebot.region("a"), gatebot.eager():
        raise KeyError
    assert probe.calls == ["+a", "-a", "~a", "-a"]


def test_a_probe_from_before_enters_again(probe, monkeypatch):
    monkeypatch.delattr(Recorder, "gatebot_region_resume")
    with gatebot.region("a"), gatebot.eager():
        pass
    assert probe.calls == ["+a", "-a", "+a", "-a"]


def test_decorator(probe):
    @gatebot.region("f")
    def f(x):
        return x + 1

    assert (f(1), f(2)) == (2, 3)
    assert probe.calls == ["+f", "-f", "+f", "-f"]


def test_threads_do_not_share_regions(probe):
    def other():
        with gatebot.eager():
            pass

    with gatebot.region("a"):
        t = threading.Thread(target=other)
        t.start()
        t.join()
    assert probe.calls == ["+a", "-a"]


def test_step(probe):
    with gatebot.step(7):
        pass
    assert probe.calls == ["step 7 1", "step 7 0"]


@pytest.mark.parametrize("name", ["", None, 3, "a\0b"])
def test_names_that_are_none(name):
    with pytest.raises(ValueError, match="is no name"), gatebot.region(name):
        pass
