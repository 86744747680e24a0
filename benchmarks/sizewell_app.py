"""What a user of Sizewell runs: ``app.py`` on a configuration directory, which is the only argument."""

import sys
from pathlib import Path

from app import synthesize
from benchmarks.configuration import ENVIRONMENT
from planning import load_plan

if __name__ == "__main__":
    synthesize(load_plan(Path(sys.argv[1]), ENVIRONMENT))
