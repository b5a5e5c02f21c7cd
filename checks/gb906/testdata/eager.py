"""A file without graphs."""
from flashinfer import BatchDecodeWithPagedKVCacheWrapper


class Runner:
    def __init__(self, workspace):
        self.decode = BatchDecodeWithPagedKVCacheWrapper(workspace, "NHD")
