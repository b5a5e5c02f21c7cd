"""Code under conditions that are false in production is kept, and does not count."""
import logging
import os
import torch
from typing import TYPE_CHECKING

VERBOSE = 0
DEBUG = False
CHECK_NANS = False
LEVEL = 1
logger = logging.getLogger(__name__)


def flags_step(x, self, step, config):
    if VERBOSE >= 2:
        mark()  # guard "VERBOSE >= 2"
    if VERBOSE < 2:
        mark()
    else:
        mark()  # guard "not (VERBOSE < 2)"
    if DEBUG:
        mark()  # guard "DEBUG"
    if not DEBUG:
        mark()
    if DEBUG and x is not None:
        mark()  # guard "DEBUG and x is not None"
    if DEBUG or x is None:
        mark()
    if self.verbose > 1:
        mark()  # guard "self.verbose > 1"
    if config.debug_mode:
        mark()  # guard "config.debug_mode"
    if CHECK_NANS:
        mark()  # guard "CHECK_NANS"
    if LEVEL >= 3:
        mark()  # guard "LEVEL >= 3"
    if LEVEL >= 1:
        mark()
    if TYPE_CHECKING:
        mark()  # guard "TYPE_CHECKING"
    if logger.isEnabledFor(logging.DEBUG):
        mark()  # guard "logger.isEnabledFor(logging.DEBUG)"
    if os.environ.get("MY_DEBUG"):
        mark()  # guard "os.environ.get("MY_DEBUG")"
    if step == 0:
        mark()  # guard "step == 0"
    if step > 0:
        mark()
    if step == 1:
        mark()
    if not torch.cuda.is_available():
        mark()  # guard "not torch.cuda.is_available()"
    if torch.cuda.is_current_stream_capturing():
        mark()
    else:
        mark()  # guard "not (torch.cuda.is_current_stream_capturing())"
    if self.training:
        mark()  # guard "self.training"
    y = mark() if DEBUG else x  # guard "DEBUG"
    DEBUG and mark()  # guard "DEBUG"
    if config.flavor == 3:
        mark()  # guard "config.flavor == 3"
    return y


def early_step(x):
    mark()
    if VERBOSE < 2:
        return x
    mark()  # guard "not (VERBOSE < 2)"
    helper()  # a call under a guard


def helper():
    mark()  # guard "not (VERBOSE < 2)"


def local_step(DEBUG):
    # a parameter of that name is a flag all the same
    if DEBUG:
        mark()  # guard "DEBUG"


def raising_step(x):
    if x is None:
        raise ValueError(mark())
    mark()


def asserting_step(x):
    assert x is not None, mark()
    mark()
