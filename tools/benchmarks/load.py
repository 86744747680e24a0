"""The load of a measurement: what the cells of a row say of how requests arrived."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

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


_RATE = re.compile(
    r"(?:rate|qps|rps)\s*=?\s*(\d+\.?\d*)|(\d+\.?\d*)\s*(?:req(?:uests)?\s*/\s*s|requests per second|rps|qps)"
)
_AT_ONCE = re.compile(r"offline|unbounded|at once|burst|all at t\s*=\s*0|rate\s*=?\s*inf")
_REQUESTS = re.compile(
    r"(\d[\d,]*)\s*(?:sharegpt |synthetic |random )?(?:prompts|requests)\b|\bn(?:_req)?=(\d+)"
)
_MAX_SEQUENCES = re.compile(r"max[-_ ]num[-_ ]seqs\W*(\d+)|max[-_ ]batch[-_ ]size\W*(\d+)|(\d+) slots")
#: Samples of real conversations, summaries and code, whose requests have all lengths.
_SAMPLES = (
    "sharegpt",
    "lmsys",
    "openorca",
    "alpaca",
    "dolly",
    "cnn dailymail",
    "cnn/dailymail",
    "wildchat",
    "sonnet",
    "humaneval",
)


def load_of(cells: Mapping[str, str], batch: float | None) -> Load:
    """Return the load of a row with the columns ``concurrency`` and ``note``; ``batch`` is what its batch cell states."""
    text, note = cells["concurrency"].lower(), cells["note"].lower()
    stated = re.fullmatch(
        r"(\d+\.?\d*)(?:\s*-\s*(\d+\.?\d*))?\s*(?:users?|clients?|vus?|concurrent.*|streams?)?", text
    )
    requests = _first(_REQUESTS, f"{text} {note}")
    max_sequences = _first(_MAX_SEQUENCES, note)
    varied = any(sample in f"{text} {note}" for sample in _SAMPLES)
    shared = {"requests": requests or DEFAULT_REQUESTS, "max_sequences": max_sequences, "varied": varied}
    if rate := _first(_RATE, text):
        return Load(arrival=Arrival.RATE, rate_per_s=rate, **shared)  # type: ignore[arg-type]
    if _AT_ONCE.search(text):
        at_once = re.search(r"(\d[\d,]*)", text)
        if at_once:
            shared["requests"] = float(at_once[1].replace(",", ""))
        return Load(arrival=Arrival.BURST, **shared)  # type: ignore[arg-type]
    if "poisson" in text or "server" in text:
        return Load(arrival=Arrival.SERVER, **shared)  # type: ignore[arg-type]
    if stated and not batch:
        users = (float(stated[1]) + float(stated[2] or stated[1])) / 2
        return Load(arrival=Arrival.USERS, users=max(users, 1.0), **shared)  # type: ignore[arg-type]
    users = max(batch or 0.0, float(stated[1]) if stated else 0.0, 1.0)
    return Load(arrival=Arrival.BATCH, users=users, **shared)  # type: ignore[arg-type]


def _first(pattern: re.Pattern[str], text: str) -> float | None:
    found = pattern.search(text)
    return float(next(group for group in found.groups() if group).replace(",", "")) if found else None
