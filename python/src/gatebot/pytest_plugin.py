"""``@pytest.mark.capture_safe``: the test's body must be safe to capture in a CUDA graph.

The test runs in a process of its own under ``gatebot probe``: ``warmup`` calls that are not looked at, then one that is.
It fails with the lines that make the host wait, allocate or call what a capture forbids. Where there is no GPU or no
gatebot the test is skipped with the reason: not run is not passed, and pytest counts it as neither.
"""

import os
import shutil
import subprocess
import sys
import tempfile

import pytest

from gatebot import region

_CHILD = "GATEBOT_PYTEST_CHILD"
_REGION = "capture_safe"


def pytest_addoption(parser):
    group = parser.getgroup("gatebot")
    group.addoption("--gatebot", metavar="PATH", default=None, help="the gatebot program (default: $GATEBOT, else the one on PATH)")
    group.addoption("--gatebot-require", action="store_true", help="fail the tests marked capture_safe, instead of skipping them, where they cannot run")
    group.addoption("--gatebot-timeout", type=float, default=600, metavar="S", help="seconds that one such test may take (default 600)")


def pytest_configure(config):
    config.addinivalue_line("markers", "capture_safe(warmup=1): the body of the test is safe to capture in a CUDA graph; checked under gatebot's probe")


def _program(config):
    given = config.getoption("--gatebot") or os.environ.get("GATEBOT")
    return shutil.which(given or "gatebot")


def _device():
    """Whether this process may use an NVIDIA GPU. CUDA is not initialised here: the child has to be the first."""
    if os.environ.get("CUDA_VISIBLE_DEVICES") in ("", "-1"):
        return False
    return any(os.path.exists(p) for p in ("/dev/nvidiactl", "/dev/dxg"))


def _missing(config):
    if _program(config) is None:
        return "gatebot was not found (put it on PATH, or give --gatebot PATH)"
    if not _device():
        return "no NVIDIA GPU is visible here"
    return None


def _warmup(mark):
    unknown = set(mark.kwargs) - {"warmup"}
    if mark.args or unknown:
        raise pytest.UsageError(f"capture_safe takes warmup=N and nothing else, not {list(mark.args) + sorted(unknown)}")
    n = mark.kwargs.get("warmup", 1)
    if not isinstance(n, int) or n < 0:
        raise pytest.UsageError(f"capture_safe: warmup={n!r} is no number of calls")
    return n


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem):
    mark = pyfuncitem.get_closest_marker("capture_safe")
    if mark is None:
        return None
    warmup = _warmup(mark)
    if os.environ.get(_CHILD):
        arguments = {name: pyfuncitem.funcargs[name] for name in pyfuncitem._fixtureinfo.argnames}
        for _ in range(warmup):
            pyfuncitem.obj(**arguments)
        with region(_REGION):
            pyfuncitem.obj(**arguments)
        return True
    reason = _missing(pyfuncitem.config)
    if reason is not None:
        if pyfuncitem.config.getoption("--gatebot-require"):
            pytest.fail(f"capture_safe could not run: {reason}", pytrace=False)
        pytest.skip(reason)
    _run(pyfuncitem)
    return True


def _run(item):
    with tempfile.TemporaryDirectory(prefix="gatebot-") as folder:
        # Our own warm-up calls lie outside the region, so that its first run counts.
        command = [_program(item.config), "probe", "--region", _REGION, "--warmup", "0", "--results", os.path.join(folder, "results.json"), "--",
                   sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--rootdir", str(item.config.rootpath), item.nodeid]
        try:
            done = subprocess.run(command, cwd=str(item.config.rootpath), env=dict(os.environ, **{_CHILD: "1"}), stdin=subprocess.DEVNULL,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace",
                                  timeout=item.config.getoption("--gatebot-timeout"), check=False)
        except subprocess.TimeoutExpired:
            pytest.fail("capture_safe: no verdict in time (raise --gatebot-timeout)", pytrace=False)
    if done.returncode == 0:
        return
    what = "is not safe to capture" if done.returncode == 1 else f"has no verdict (gatebot ended with {done.returncode})"
    pytest.fail(f"{item.name} {what}\n{done.stdout}", pytrace=False)
