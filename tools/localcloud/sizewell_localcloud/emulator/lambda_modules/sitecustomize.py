"""Python reads this at the start of a Lambda worker: sleeping takes as long as everything else in scaled time."""

import os
import time
from typing import SupportsIndex

_sleep = time.sleep
_SCALE = float(os.environ.get("LOCALCLOUD_TIME_SCALE", "0.0002"))


def _scaled(seconds: SupportsIndex | float) -> None:
    _sleep(max(float(seconds) * _SCALE, 0.005))


time.sleep = _scaled
