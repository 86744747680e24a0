"""The load of a measurement: what the cells of a row say of how requests arrived."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from tools.benchmarks.quantities import quantity

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


_PER_SECOND = r"\s*(?:/|per)\s*s(?:ec(?:ond)?)?\b"
_RATE = re.compile(
    rf"(?:rate|qps|rps)\s*(?:of|[=:])?\s*(\d+\.?\d*)|(\d+\.?\d*)\s*(?:(?:req(?:uest)?|quer|prompt)\w*)?{_PER_SECOND}"
    r"|(\d+\.?\d*)\s*(?:rps|qps)\b|poisson\s*(\d+\.?\d*)"
)
_AT_ONCE = re.compile(
    r"offline|unbounded|unlimited|at once|burst|all at t\s*=\s*0|(?:rate|qps|rps)\s*[=:]?\s*inf|infinite|max(?:imum)? throughput"
)
_REQUESTS = re.compile(
    r"(\d[\d,]*)\s*(?:sharegpt |synthetic |random )?(?:prompts|requests)\b(?!\s*(?:/|per))|\bn(?:_req)?=(\d+)"
)
_MAX_SEQUENCES = re.compile(r"max[-_ ]num[-_ ]seqs\W*(\d+)|max[-_ ]batch[-_ ]size\W*(\d+)|(\d+) slots")
#: A cell about concurrency that speaks of one batch, and one about a batch that speaks of users.
_BATCH_WORDS = re.compile(r"^(?:bs|batch)(?![a-z]*ing)")
_USER_WORDS = re.compile(r"user|client|\bvus?\b|concurren|stream|\bc\s*=")
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

#: Words of lengths that are drawn at random, of which a row states the mean.
_DRAWN = re.compile(r"uniform|random lengths|varying lengths|lengths vary|real means")


def in_their_columns(batch: str, concurrency: str) -> tuple[str, str]:
    """Return the cells about batch and concurrency, one that stands alone in the column that its words belong to."""
    if not batch and _BATCH_WORDS.search(concurrency.lower()):
        return concurrency, ""
    if not concurrency and _USER_WORDS.search(batch.lower()):
        return "", batch
    return batch, concurrency


def load_of(cells: Mapping[str, str], batch: float | None) -> Load:
    """Return the load of a row with the columns ``concurrency`` and ``note``; ``batch`` is what its batch cell states.

    A number without a word for a rate or a burst counts users. Users beside a batch are those of one batch, but where a
    batch of one has more users than that: requests of one, in a closed loop.
    """
    text, note = cells["concurrency"].lower(), cells["note"].lower()
    requests = _first(_REQUESTS, f"{text} {note}")
    max_sequences = _first(_MAX_SEQUENCES, note)
    varied = any(sample in f"{text} {note}" for sample in _SAMPLES) or bool(_DRAWN.search(note))
    shared = {"requests": requests or DEFAULT_REQUESTS, "max_sequences": max_sequences, "varied": varied}
    if rate := _first(_RATE, text):
        return Load(arrival=Arrival.RATE, rate_per_s=rate, **shared)  # type: ignore[arg-type]
    if _AT_ONCE.search(text):
        shared["requests"] = quantity(re.sub(r"t\s*=\s*0", "", text)) or shared["requests"]
        return Load(arrival=Arrival.BURST, **shared)  # type: ignore[arg-type]
    if "poisson" in text or "server" in text:
        return Load(arrival=Arrival.SERVER, **shared)  # type: ignore[arg-type]
    stated = quantity(text)
    users = max(stated or 0.0, 1.0)
    if stated and (not batch or batch == 1.0 < users):
        return Load(arrival=Arrival.USERS, users=users, **shared)  # type: ignore[arg-type]
    return Load(arrival=Arrival.BATCH, users=max(batch or 0.0, users), **shared)  # type: ignore[arg-type]


def _first(pattern: re.Pattern[str], text: str) -> float | None:
    found = pattern.search(text)
    return float(next(group for group in found.groups() if group).replace(",", "")) if found else None
