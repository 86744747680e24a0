"""What became of each trace: told in time, once, or not."""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum

from tools.benchmarks.alarm_replay.evaluation import ALARM
from tools.benchmarks.alarm_replay.template_alarms import notifications, replay
from tools.benchmarks.alarm_replay.traces import Trace
from tools.benchmarks.alarm_replay.workloads import Watched


class Verdict(StrEnum):
    """What went wrong; GOOD is what must be."""

    GOOD = "good"
    MISSED = "missed"
    LATE = "late"
    NOISY = "noisy"
    FALSE_PAGE = "false page"
    WRONG_ROLLBACK = "wrong rollback"
    NO_ROLLBACK = "no rollback"


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """One trace of one workload; ``pages`` are the alarms that notified, in their order, with the minutes since it started."""

    kind: str
    name: str
    trace: str
    is_incident: bool
    verdicts: tuple[Verdict, ...]
    pages: tuple[tuple[int, str], ...]
    rolled_back_by: tuple[str, ...] = ()


def outcomes(workloads: Iterable[Watched], *, held_out: bool = False) -> Iterator[Outcome]:
    """Yield what becomes of the traces that thresholds were chosen with, or of the others."""
    for watched in workloads:
        for trace in watched.traces:
            if trace.held_out == held_out:
                yield _outcome(watched, trace)


def _outcome(watched: Watched, trace: Trace) -> Outcome:
    states = replay(watched.alarms, watched.publish(trace), trace.load.minutes)
    pages = sorted((at - trace.starts + 1, name) for at, name in notifications(watched.alarms, states))
    back: tuple[str, ...] = ()
    if trace.rolls_back is not None:
        bake = slice(trace.starts, trace.starts + watched.bake_minutes)
        back = tuple(sorted(name for name in watched.rollback_alarms if (states[name][bake] == ALARM).any()))
    return Outcome(
        kind=watched.kind,
        name=watched.name,
        trace=trace.name,
        is_incident=trace.is_incident or bool(trace.rolls_back),
        verdicts=tuple(_verdicts(trace, pages, back)) or (Verdict.GOOD,),
        pages=tuple(pages),
        rolled_back_by=back,
    )


def _verdicts(trace: Trace, pages: list[tuple[int, str]], back: tuple[str, ...]) -> Iterator[Verdict]:
    if trace.rolls_back is True and not back:
        yield Verdict.NO_ROLLBACK
    if trace.rolls_back is False and back:
        yield Verdict.WRONG_ROLLBACK
    if trace.page_within is None:
        if pages and not trace.rolls_back:
            yield Verdict.FALSE_PAGE
        return
    if any(at <= 0 for at, _ in pages):
        yield Verdict.FALSE_PAGE
    told = [at for at, _ in pages if at > 0]
    if not told:
        yield Verdict.MISSED
    elif told[0] > trace.page_within:
        yield Verdict.LATE
    if len(told) > 1:
        yield Verdict.NOISY


def counts_by_kind(found: Iterable[Outcome]) -> dict[str, Counter[str]]:
    """Return how many traces of each kind ended how, with how many incidents and quiet ones there were."""
    counts: dict[str, Counter[str]] = {}
    for outcome in found:
        count = counts.setdefault(outcome.kind, Counter())
        count["incidents" if outcome.is_incident else "quiet"] += 1
        count.update(outcome.verdicts)
        count["notifications"] += len(outcome.pages)
    return dict(sorted(counts.items()))
