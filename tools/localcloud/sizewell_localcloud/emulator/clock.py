"""Scaled time: what takes SageMaker minutes takes the local cloud fractions of a second, or as long as a test likes."""

import os
import time
from threading import Condition, current_thread

#: Seconds here for one second of AWS: an endpoint that takes five minutes to start is there in a twentieth of a second.
DEFAULT_SCALE = float(os.environ.get("LOCALCLOUD_TIME_SCALE", "0.0002"))
_scale = DEFAULT_SCALE
_changed = Condition()
#: Beginnings of the names of operations that are held, each with the seconds of the pause in which one is.
_held: dict[str, float | None] = {}

ENDPOINT_START_S = 300.0
ENDPOINT_DELETE_S = 60.0
INSTANCE_START_S = 240.0
JOB_START_S = 120.0


def set_scale(scale: float) -> None:
    """Let time run otherwise from now on."""
    global _scale
    _scale = scale


def pause(seconds: float) -> None:
    """Sleep so many seconds of AWS, or until the test that holds this operation lets it go on."""
    name = current_thread().name
    with _changed:
        operation = next((each for each in _held if name.startswith(each)), None)
        if operation is not None:
            _held[operation] = seconds
            _changed.wait_for(lambda: _held.get(operation) is None)
            return
    time.sleep(scaled(seconds))


def scaled(duration: float) -> float:
    """Return what a duration of AWS is here, in the same unit."""
    return duration * _scale


def hold(operation: str) -> None:
    """Let the operation whose name begins so, such as ``update my-endpoint``, wait in each of its pauses."""
    with _changed:
        _held[operation] = None


def held_pause_s(operation: str) -> float | None:
    """Return how long the pause is in which a held operation waits; ``None`` while it is in none."""
    return _held[operation]


def end_pause(operation: str) -> None:
    """Let a held operation go on to its next pause."""
    with _changed:
        _held[operation] = None
        _changed.notify_all()


def release(operation: str | None = None) -> None:
    """Hold an operation no longer, or none at all."""
    with _changed:
        for each in [operation] if operation is not None else list(_held):
            _held.pop(each, None)
        _changed.notify_all()


def now() -> float:
    """Return the time as APIs write it: seconds since 1970."""
    return time.time()
