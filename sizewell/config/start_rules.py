"""Runs whose results start the next run, and so without end."""

from collections.abc import Iterator, Mapping

from sizewell.config.base import lies_in
from sizewell.config.environment import Environment
from sizewell.config.repeated_runs import RepeatedRuns, StartedRuns
from sizewell.config.request_members import Violation

#: By workload, what its runs start, each with the output that does.
_Starts = Mapping[str, Mapping[str, str]]


def start_violations(environment: Environment) -> Iterator[Violation]:
    """Yield each circle of runs once, at the first workload of it."""
    starts = {name: dict(_started_by(environment, name)) for name in _by_object(environment)}
    in_circle: set[str] = set()
    for name, key in _by_object(environment).items():
        if name in in_circle or not (circle := _circle(starts, name)):
            continue
        in_circle |= circle.keys()
        words = f"{' starts '.join(circle)} starts {name if len(circle) > 1 else 'itself'}"
        yield (
            ("workloads", name, "starts_on", "object"),
            f"{key} lies in what {list(circle.values())[-1]} writes, so that each run may start the next one, without end "
            f"({words}); name an object that none of them writes, or give the output another prefix",
        )


def _by_object(environment: Environment) -> dict[str, str]:
    """Return the workloads that an object starts, each with its key."""
    return {
        name: one.starts_on.object
        for name, one in environment.workloads.items()
        if isinstance(one, StartedRuns) and one.starts_on is not None and one.starts_on.object is not None
    }


def _circle(starts: _Starts, first: str) -> Mapping[str, str]:
    """Return the shortest way from a workload back to itself: each with the output that starts the next."""
    ways: list[tuple[str, dict[str, str]]] = [(first, {})]
    seen: set[str] = set()
    for name, way in ways:
        for other, output in starts[name].items():
            if other == first:
                return {**way, name: output}
            if other not in seen:
                seen.add(other)
                ways.append((other, {**way, name: output}))
    return {}


def _started_by(environment: Environment, name: str) -> Iterator[tuple[str, str]]:
    """Yield what a run of a workload starts, each with the output that does."""
    workload = environment.workloads[name]
    for runs in (name, *workload.runs().values()):
        job = environment.workloads.get(runs)
        for output, prefix in job.stated_outputs().items() if isinstance(job, RepeatedRuns) else ():
            for other, key in _by_object(environment).items():
                if environment.workloads[other].place == workload.place and lies_in(key, prefix):
                    yield other, f"{runs}.outputs.{output}"
