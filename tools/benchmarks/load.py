"""The load of a measurement: how requests arrived."""

import re
from dataclasses import dataclass
from enum import StrEnum

from tools.benchmarks.cells import Cells, refused

#: Requests of a run that states none (default of vLLM's serving benchmark).
DEFAULT_REQUESTS = 1000.0


class Arrival(StrEnum):
    """How requests arrive."""

    BATCH = "batch"
    """A fixed number starts together and ends together; one request alone is a batch of one."""
    USERS = "users"
    """Closed loop: each user waits for an answer before the next request."""
    RATE = "rate"
    """Open loop: at random, so many a second."""
    BURST = "burst"
    """All requests of the run at once: what is measured is throughput, and waiting."""
    SERVER = "server"
    """At random at the highest rate that some bound allows, which the row does not state (MLPerf: server)."""


@dataclass(frozen=True, kw_only=True)
class Load:
    """How requests arrived; None is not stated."""

    arrival: Arrival
    users: float = 1.0
    """Requests in progress, of a batch or a closed loop."""
    rate_per_s: float | None = None
    requests: float = DEFAULT_REQUESTS
    """Requests of the whole run, of an open loop or a burst."""
    max_sequences: float | None = None
    """Most requests that the engine was told to keep in progress."""
    varied: bool = False
    """Whether lengths are those of a sample of real requests, not all alike."""


_NUMBER = r"(\d+(?:,\d{3})*(?:\.\d+)?)"
_USERS = re.compile(rf"{_NUMBER}(?: users)?")
_RATE = re.compile(rf"(?:rate ?= ?)?{_NUMBER} ?(?:req|requests)?/s")
_BURST = re.compile(
    rf"burst(?: ?= ?{_NUMBER})?|offline(?: {_NUMBER} (?:at once|prompts|requests))?|unbounded(?: \(offline\))?"
)
_SERVER = ("server", "poisson", "poisson arrivals")


def load_of(cells: Cells) -> Load:
    """Return the load of a row.

    Users beside a batch are those of one batch, but where a batch of one has more users than that: requests of one, in a
    closed loop.
    """
    batch = cells.number("batch_size")
    text = cells["concurrency"].lower()
    shared = {
        "requests": cells.number("requests") or DEFAULT_REQUESTS,
        "max_sequences": cells.number("max_sequences"),
        "varied": cells.word("lengths", ("varied", "equal")) == "varied",
    }
    if found := _RATE.fullmatch(text):
        return Load(arrival=Arrival.RATE, rate_per_s=_value(found[1]), **shared)  # type: ignore[arg-type]
    if found := _BURST.fullmatch(text):
        stated = found[1] or found[2]
        shared["requests"] = _value(stated) if stated else shared["requests"]
        return Load(arrival=Arrival.BURST, **shared)  # type: ignore[arg-type]
    if text in _SERVER:
        return Load(arrival=Arrival.SERVER, **shared)  # type: ignore[arg-type]
    found = _USERS.fullmatch(text)
    if text and not found:
        allowed = "a number of users, rate=4/s, burst=1000, or server"
        raise refused("concurrency", cells["concurrency"], allowed)
    stated_users = _value(found[1]) if found else 0.0
    users = max(stated_users, 1.0)
    if stated_users and (not batch or batch == 1.0 < users):
        return Load(arrival=Arrival.USERS, users=users, **shared)  # type: ignore[arg-type]
    return Load(arrival=Arrival.BATCH, users=max(batch or 0.0, users), **shared)  # type: ignore[arg-type]


def _value(text: str) -> float:
    return float(text.replace(",", ""))
