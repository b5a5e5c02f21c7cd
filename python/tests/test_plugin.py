import os
import stat
import sys

import pytest

pytest_plugins = ["pytester"]

TEST = """
import pytest

calls = []

@pytest.fixture
def n():
    return 5

@pytest.mark.capture_safe(warmup=2)
def test_step(n):
    calls.append(n)
    print("call", len(calls))

def test_other():
    pass
"""


@pytest.fixture
def fake(pytester, monkeypatch):
    """A gatebot that runs the command after -- and ends with the code of its own that the test asks for."""
    monkeypatch.delenv("GATEBOT_PYTEST_CHILD", raising=False)
    monkeypatch.setattr("gatebot.pytest_plugin._device", lambda: True)
    path = pytester.path / "fake-gatebot"
    path.write_text(f"""#!{sys.executable}
import os, subprocess, sys
args = sys.argv[1:]
assert args[0] == "probe" and args[1:5] == ["--region", "capture_safe", "--warmup", "0"], args
done = subprocess.run(args[args.index("--") + 1:])
print("m.py:3:1  error  GB101 tensor-item (proven)")
sys.exit(3 if done.returncode else int(os.environ.get("FAKE", "0")))
""")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    pytester.makepyfile(TEST)
    return str(path)


def outcome(pytester, *args):
    r = pytester.runpytest_inprocess("-p", "no:cacheprovider", *args)
    return r, {k: v for k, v in r.parseoutcomes().items() if k != "seconds"}


def test_passes(pytester, fake):
    _, got = outcome(pytester, "--gatebot", fake)
    assert got == {"passed": 2}


def test_a_violation_fails_with_its_line(pytester, fake, monkeypatch):
    monkeypatch.setenv("FAKE", "1")
    r, got = outcome(pytester, "--gatebot", fake)
    assert got == {"passed": 1, "failed": 1}
    r.stdout.fnmatch_lines(["*test_step is not safe to capture*", "*m.py:3:1*GB101*"])


def test_no_verdict_is_no_pass(pytester, fake, monkeypatch):
    monkeypatch.setenv("FAKE", "3")
    r, got = outcome(pytester, "--gatebot", fake)
    assert got == {"passed": 1, "failed": 1}
    r.stdout.fnmatch_lines(["*has no verdict (gatebot ended with 3)*"])


def test_no_gpu_is_skipped_with_the_reason(pytester, fake, monkeypatch):
    monkeypatch.setattr("gatebot.pytest_plugin._device", lambda: False)
    r, got = outcome(pytester, "--gatebot", fake, "-rs")
    assert got == {"passed": 1, "skipped": 1}
    r.stdout.fnmatch_lines(["*no NVIDIA GPU is visible here*"])
    _, got = outcome(pytester, "--gatebot", fake, "--gatebot-require")
    assert got == {"passed": 1, "failed": 1}


def test_no_gatebot_is_skipped_with_the_reason(pytester, fake):
    r, got = outcome(pytester, "--gatebot", "/nowhere/gatebot", "-rs")
    assert got == {"passed": 1, "skipped": 1}
    r.stdout.fnmatch_lines(["*gatebot was not found*"])


def test_the_child_calls_warmup_times_and_once(pytester, fake, monkeypatch):
    monkeypatch.setenv("GATEBOT_PYTEST_CHILD", "1")
    r, got = outcome(pytester, "-s", "-k", "test_step")
    assert got == {"passed": 1, "deselected": 1}
    r.stdout.fnmatch_lines(["*call 1*", "*call 2*", "*call 3*"])
    assert "call 4" not in r.stdout.str()


@pytest.mark.parametrize("mark", ["capture_safe(3)", "capture_safe(warm=3)", "capture_safe(warmup=-1)"])
def test_wrong_arguments(pytester, fake, mark):
    pytester.makepyfile(f"import pytest\n\n@pytest.mark.{mark}\ndef test_x():\n    pass\n")
    r = pytester.runpytest_inprocess("--gatebot", fake)
    assert r.ret != 0
    assert "capture_safe" in r.stdout.str() + r.stderr.str()


def test_cuda_visible_devices_hides_the_gpu(monkeypatch):
    from gatebot.pytest_plugin import _device

    monkeypatch.setattr(os.path, "exists", lambda p: True)
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "")
    assert not _device()
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES")
    assert _device()
