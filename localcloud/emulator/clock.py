"""Scaled time: what takes SageMaker minutes takes the local cloud fractions of a second."""

import os
import time

#: Seconds here for one second of AWS: an endpoint that takes five minutes to start is there in a twentieth of a second.
DEFAULT_SCALE = float(os.environ.get("LOCALCLOUD_TIME_SCALE", "0.0002"))
_scale = DEFAULT_SCALE

ENDPOINT_START_S = 300.0
ENDPOINT_DELETE_S = 60.0
INSTANCE_START_S = 240.0
JOB_START_S = 120.0


def set_scale(scale: float) -> None:
    """Let time run otherwise from now on: a test that watches statuses wants it slower."""
    global _scale
    _scale = scale


def pause(seconds: float) -> None:
    """Sleep so many seconds of AWS."""
    time.sleep(seconds * _scale)


def now() -> float:
    """Return the time as APIs write it: seconds since 1970."""
    return time.time()
