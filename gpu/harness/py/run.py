"""Starts the harness: python run.py CONFIG.json. The folder of this file holds nothing else, so that the modules of the
repository under test never meet ours."""
import os
import sys

sys.path.pop(0)
here = os.path.dirname(os.path.abspath(__file__))
sys.path.append(here)
from gatebot_harness import main  # noqa: E402

main.start(sys.argv[1])
