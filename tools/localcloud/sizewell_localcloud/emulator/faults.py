"""Injected faults: a test lets a certain call fail, or ends its caller, before or after it took effect.

``error`` answers with an error of the service: one that clients do not try again, unless ``code`` is
``InternalFailure``. ``kill`` ends the Lambda worker that made the call, as a crash or a
timeout would: its code runs no further and answers nobody.
"""

from dataclasses import dataclass
from threading import Lock
from typing import Any, Literal

from sizewell_localcloud.emulator.errors import AwsError
from sizewell_localcloud.emulator.lambda_workers import kill_all
from sizewell_localcloud.emulator.service_models import service_model


class ConnectionCutError(Exception):
    """The caller is dead: it gets no answer."""


@dataclass
class Fault:
    """Strikes the ``nth`` call of an operation from now on, once."""

    service: str
    operation: str
    moment: Literal["before", "after"]
    effect: Literal["error", "kill"]
    nth: int = 1
    code: str = "ValidationException"
    message: str = "A fault that a test ordered"

    def __post_init__(self) -> None:
        """Refuse what would never strike. Raises ValueError."""
        known = self.operation in service_model(self.service).operation_names
        if not known or self.moment not in {"before", "after"} or self.effect not in {"error", "kill"}:
            raise ValueError(f"such a fault never strikes: {self}")


_lock = Lock()
_faults: list[Fault] = []


def order(**fields: Any) -> None:
    """Order a fault; fields as in ``Fault``."""
    with _lock:
        _faults.append(Fault(**fields))


def clear() -> list[str]:
    """Forget all orders, and return those that have not struck."""
    with _lock:
        unused = [str(fault) for fault in _faults]
        _faults.clear()
    return unused


def before(service: str, operation: str) -> None:
    """Strike before the operation takes effect."""
    _strike(service, operation, "before")


def after(service: str, operation: str) -> None:
    """Strike when the operation has taken effect, before the caller gets an answer."""
    _strike(service, operation, "after")


def _strike(service: str, operation: str, moment: str) -> None:
    due: Fault | None = None
    with _lock:
        for fault in _faults:
            if (fault.service, fault.operation, fault.moment) == (service, operation, moment):
                fault.nth -= 1
                # Of several that are due, each call takes the one that was ordered first.
                if fault.nth <= 0 and due is None:
                    due = fault
        if due is not None:
            _faults.remove(due)
    if due is None:
        return
    if due.effect == "kill":
        kill_all()
        raise ConnectionCutError
    raise AwsError(due.code, due.message, 500 if due.code == "InternalFailure" else 400)
