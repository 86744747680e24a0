"""Every status that endpoints and jobs went through: polling would miss the short ones."""

from threading import Lock

_lock = Lock()
_passed: dict[str, list[str]] = {}


def record(resource: str, status: str) -> None:
    """Remember a status of ``endpoint/NAME`` or ``training-job/NAME`` and the like, unless it is the one it has."""
    with _lock:
        passed = _passed.setdefault(resource, [])
        if passed[-1:] != [status]:
            passed.append(status)


def statuses(name: str | None = None) -> dict[str, list[str]]:
    """Return the statuses by resource, of one resource or of all accounts and regions together."""
    with _lock:
        return {key: list(passed) for key, passed in _passed.items() if name in {None, key}}


def reset() -> None:
    """Forget everything."""
    with _lock:
        _passed.clear()
