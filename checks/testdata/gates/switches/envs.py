import os


class Flag:
    def __init__(self, default):
        self.default = default

    def get(self):
        value = os.getenv("X")
        return self.default if value is None else value == "1"


class Envs:
    X_TRACE_SYNC = Flag(False)
    X_CHECK_BOUNDS = Flag(True)
    X_USE_FAST = Flag(False)


envs = Envs()
