"""``sizewell measure``: load against a deployed endpoint, or an address, and what it measures."""

from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from sizewell.cli.account_command import progress
from sizewell.cli.console import open_console
from sizewell.cli.errors import exit_unknown_workload, exit_with
from sizewell.cli.import_measurement_command import take
from sizewell.cli.import_measurement_view import print_import
from sizewell.cli.measure_target import Request, Tested, address, endpoint, read_request
from sizewell.cli.measure_view import print_summary
from sizewell.cli.output import tell
from sizewell.config.measured_instance import MeasuredInstance
from sizewell.config.measurement_faults import kind_faults
from sizewell.config.printable import printable_line
from sizewell.deploy.cloudformation import CloudFormationError
from sizewell.instance_selection import EndpointEstimate, load_catalog
from sizewell.instance_selection.catalog import regions
from sizewell.instance_selection.wording import counted, milliseconds
from sizewell.load.observations import LEAST_ANSWERS, RequestFailedError, Summary, summarize
from sizewell.load.open_loop import MAX_IN_FLIGHT, MAX_PER_SECOND, LoadRun, Send, answer, arrivals_s, run_load
from sizewell.planning import load_plan
from sizewell.planning.catalog_files import read_refreshed
from sizewell.planning.endpoint_plan_model import EndpointPlan
from sizewell.planning.load_tests.load_test import Figure, LoadTest, readings_of
from sizewell.planning.measurement_document import Document
from sizewell.planning.measurement_import import Target, check_readings
from sizewell.planning.measurements import unknown_type
from sizewell.planning.plan import DeploymentPlan
from sizewell.planning.workload_plan import InstanceWorkloadPlan, WorkloadPlan


@dataclass(frozen=True, kw_only=True)
class Asked:
    """What the caller asked for."""

    url: str | None
    payload: Path
    headers: Sequence[str]
    per_second: float | None
    requests: int
    max_seconds: float
    instance_type: str | None
    instance_count: int
    profile: str | None
    dry_run: bool


def run_measure(directory: Path, environment: str, workload: str, asked: Asked) -> None:
    """Send the load, print what came of it, and add the measurement to the file.

    Ends the command where nothing can be measured. Raises ``ConfigError`` and ``RefusedError``.
    """
    plan = load_plan(directory, environment, within_budget=False)
    planned = _planned(plan, workload)
    request = read_request(asked.payload, asked.headers)
    # Hardware is the same in every region.
    catalog = load_catalog(regions()[0], read_refreshed(directory))
    try:
        tested = _tested(plan, planned, request, asked)
        if words := unknown_type(tested.instance_type, catalog):
            exit_with("\n  ".join(filter(None, words)))
        per_second = _per_second(planned, tested, asked)
        due_s = [due for due in arrivals_s(asked.requests, per_second) if due <= asked.max_seconds]
        if len(due_s) < LEAST_ANSWERS:
            exit_with(
                f"a 95th percentile takes {LEAST_ANSWERS} answers, and this test has {len(due_s)} requests: nothing is sent. "
                "Raise --rate or --max-seconds"
            )
        instances = f"{counted(tested.instance_count, 'instance')} of {tested.instance_type}"
        duration = milliseconds(due_s[-1] * 1000)
        tell(
            f"Sending {len(due_s):,} requests of {len(request.body):,} bytes to {tested.shown}\n"
            f"  {per_second:,.4g} per second at random times for {duration}, to {instances}\n"
            f"  first a single one, to see whether it is answered; none is tried again"
        )
        with closing(tested), progress("Sending ...") as show:
            _try(tested.send, streams=request.streams)
            run = run_load(tested.send, due_s, asked.max_seconds, show, streams=request.streams)
        summary = summarize(run.observations)
        with open_console() as console:
            print_summary(summary, run, per_second, console)
        _check(run, summary, tested)
    except CloudFormationError as error:
        exit_with(str(error))
    document = Document(f"{workload} of {environment}", "", None)
    readings = readings_of(
        _load_test(summary, run, per_second), document, tested.instance_type, tested.instance_count
    )
    target = Target(environment=environment, kind=planned.kind)
    imported = check_readings(document, readings, target, catalog)
    done = take(imported, workload, directory, dry_run=asked.dry_run)
    with open_console() as console:
        print_import(done, console, dry_run=asked.dry_run)


def _planned(plan: DeploymentPlan, name: str) -> InstanceWorkloadPlan:
    by_name: dict[str, WorkloadPlan] = {planned.name: planned for planned in plan.workloads}
    if name not in by_name:
        exit_unknown_workload(name, plan.environment, by_name)
    planned = by_name[name]
    for _, reason in kind_faults(
        MeasuredInstance(instance_type="ml.m5.large", p95_latency_ms=1), planned.kind
    ):
        exit_with(f"{name} cannot be measured: latency {reason}")
    if not isinstance(planned, InstanceWorkloadPlan):
        exit_with(f"{name} cannot be measured: it has no instance type")
    return planned


def _tested(plan: DeploymentPlan, planned: InstanceWorkloadPlan, request: Request, asked: Asked) -> Tested:
    if asked.url is not None:
        return address(asked.url, request, planned, asked.instance_type, asked.instance_count)
    if not isinstance(planned, EndpointPlan) or planned.asynchronous:
        exit_with(
            f"{planned.name} is no endpoint of SageMaker that answers at once: name its address with --url"
        )
    return endpoint(planned, plan.foundations[planned.place], request, asked.profile)


def _per_second(planned: InstanceWorkloadPlan, tested: Tested, asked: Asked) -> float:
    """Return the rate that was asked for, or what as many instances answer at peak by the plan."""
    if asked.per_second is not None:
        return asked.per_second
    estimate = planned.selection.chosen.estimate
    if not isinstance(estimate, EndpointEstimate):
        exit_with(f"the plan of {planned.name} says no requests per second: state --rate")
    per_second = estimate.utilization * estimate.capacity_requests_per_second * tested.instance_count
    if not 0 < per_second <= MAX_PER_SECOND:
        exit_with(
            f"the peak of these instances is {per_second:,.4g} requests per second: state a --rate of at most "
            f"{MAX_PER_SECOND:,.0f}"
        )
    return per_second


def _try(send: Send, *, streams: bool) -> None:
    """Send one request, which also opens a connection; end the command where it fails."""
    try:
        for _ in answer(send, streams=streams):
            pass
    except RequestFailedError as error:
        exit_with(f"the first request failed, so no more are sent\n  {printable_line(str(error))}")
    except KeyboardInterrupt:
        exit_with("interrupted: nothing is measured")


def _check(run: LoadRun, summary: Summary, tested: Tested) -> None:
    """End the command where what was seen is no measurement."""
    if run.interrupted:
        exit_with("interrupted: nothing is written")
    if summary.answered < LEAST_ANSWERS:
        exit_with(
            f"a 95th percentile takes {LEAST_ANSWERS} answers, and {summary.answered} came: nothing is written. "
            f"{'Mend what failed, and measure again' if summary.failed else 'Raise --max-seconds'}"
        )
    # Where as many are in flight as may be, requests wait for answers and not for this machine.
    if summary.sent_too_late and run.most_in_flight < MAX_IN_FLIGHT:
        exit_with(
            f"this machine sent 5 of 100 requests {summary.late_ms:,.3g} ms too late or later, and measured itself: nothing is "
            "written. Lower --rate, or measure from a faster machine"
        )
    if (count := tested.count_now()) != tested.instance_count:
        exit_with(
            f"the endpoint scaled from {tested.instance_count} to {count} instances during the test: nothing is written. "
            "Measure again"
        )


def _load_test(summary: Summary, run: LoadRun, per_second: float) -> LoadTest:
    def p95(found: Mapping[int, float]) -> Figure | None:
        return Figure(found[95]) if found else None

    return LoadTest(
        source=f"sizewell measure at {per_second:,.4g} requests/s",
        date=run.day,
        answered=summary.answered,
        failed=summary.failed,
        answers_per_second=Figure(summary.answers_per_second),
        offered_per_second=per_second,
        duration_s=summary.duration_s,
        mean_latency_ms=summary.mean_latency_ms,
        p95_latency_ms=p95(summary.latency_ms),
        time_to_first_token_ms=p95(summary.first_token_ms),
        inter_token_ms=p95(summary.inter_token_ms),
    )
