"""Scripted outcomes: how the next endpoint operation or job of a name ends.

A script belongs to names that begin with its prefix, is used up by one operation, and the next in order is used by the
next operation. Without a script everything succeeds.
"""

from dataclasses import dataclass
from threading import Lock
from typing import Any

_JOB_OUTCOMES = {
    "completed",
    "failed",
    "capacity",
    "interrupted",
    "stopped",
    "max_runtime",
    "max_wait",
    "hang",
    "quota",
}
_OUTCOMES = {"endpoint": {"fail"}} | dict.fromkeys(
    ("training", "processing", "transform", "tuning"), _JOB_OUTCOMES
)
_OUTCOMES["training"] = _JOB_OUTCOMES | {"run"}
#: Of a job of AWS Batch.
_OUTCOMES["batch"] = {"completed", "failed", "capacity", "interrupted", "hosts_lost", "hang"}


@dataclass(frozen=True)
class Script:
    """``kind`` is ``endpoint`` or a kind of job; ``reason`` becomes the failure reason. Raises ValueError for others.

    ``run`` really runs a training job (training_runs.py), and interrupts it ``interruptions`` times.
    """

    kind: str
    name_prefix: str
    outcome: str
    reason: str = ""
    interruptions: int = 0

    def __post_init__(self) -> None:
        """Refuse a script that no operation would use: a test would take the success for its own."""
        if self.kind not in _OUTCOMES or self.outcome not in _OUTCOMES[self.kind]:
            raise ValueError(f"there is no outcome {self.outcome!r} of {self.kind!r}; there is {_OUTCOMES}")


_lock = Lock()
_scripts: list[Script] = []


def order(**fields: Any) -> None:
    """Order an outcome; fields as in ``Script``."""
    with _lock:
        _scripts.append(Script(**fields))


def take(kind: str, name: str) -> Script | None:
    """Use up and return the first script for this name, or None."""
    with _lock:
        for script in _scripts:
            if script.kind == kind and name.startswith(script.name_prefix):
                _scripts.remove(script)
                return script
    return None


def clear() -> list[str]:
    """Forget all scripts, and return those that nothing has used."""
    with _lock:
        unused = [str(script) for script in _scripts]
        _scripts.clear()
    return unused
