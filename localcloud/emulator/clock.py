"""Scaled time: what takes SageMaker minutes takes the local cloud fractions of a second."""

import os
import time

#: Seconds here for one second of AWS. An endpoint that takes five minutes to start takes a third of a second.
SCALE = float(os.environ.get("LOCALCLOUD_TIME_SCALE", "0.001"))

ENDPOINT_START_S = 300.0
ENDPOINT_DELETE_S = 60.0
INSTANCE_START_S = 240.0
JOB_START_S = 120.0


def pause(seconds: float) -> None:
    """Sleep so many seconds of AWS."""
    time.sleep(seconds * SCALE)


def now() -> float:
    """Return the time as APIs write it: seconds since 1970."""
    return time.time()
