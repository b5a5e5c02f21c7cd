"""The probe that the CUDA driver loads into this process, when ``gatebot probe`` started it."""

import ctypes
import os

_VARIABLE = "CUDA_INJECTION64_PATH"
_probe = None
_looked_for = None  # value of the variable when nothing more can be found


def find():
    """The loaded probe, or None. It is loaded with the first CUDA call, so that None can become a probe later."""
    global _probe, _looked_for
    if _probe is not None:
        return _probe
    path = os.environ.get(_VARIABLE)
    if not path or path == _looked_for:
        return None
    try:
        # RTLD_NOLOAD: only a probe that the driver has loaded counts. Loading one ourselves would record nothing.
        lib = ctypes.CDLL(path, mode=os.RTLD_NOW | os.RTLD_NOLOAD)
    except OSError:
        return None
    try:
        for name, types in (
            ("gatebot_region_enter", [ctypes.c_char_p]),
            ("gatebot_region_exit", [ctypes.c_char_p]),
            ("gatebot_step", [ctypes.c_int, ctypes.c_int]),
        ):
            function = getattr(lib, name)
            function.argtypes, function.restype = types, None
        resume = getattr(lib, "gatebot_region_resume", None)
        if resume is not None:
            resume.argtypes, resume.restype = [ctypes.c_char_p], None
        lib.gatebot_active.argtypes, lib.gatebot_active.restype = [], ctypes.c_int
    except AttributeError:  # another tool's injection
        _looked_for = path
        return None
    _probe = lib
    return lib
