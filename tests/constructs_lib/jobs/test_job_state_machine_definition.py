"""What the state machines of all kinds of jobs have in common: one clock, jobs that are seen to end, and what they cost."""

import json
from typing import Any

import pytest

from constructs_lib.jobs.batch_transform import transform_state_machine_definition
from constructs_lib.jobs.job_kind import PROCESSING, TRAINING, TRANSFORM, TUNING, JobKind
from constructs_lib.jobs.processing_workflow import processing_state_machine_definition
from constructs_lib.jobs.training_state_machine import training_state_machine_definition
from constructs_lib.jobs.tuning_workflow import tuning_state_machine_definition
from sizewell.facts.state_machines import SHORTEST_ATTEMPT_S
from sizewell.instance_selection.requirements import START_UP_HOURS
from tests.constructs_lib.jobs import test_batch_transform, test_processing_workflow, test_tuning, training
from tests.constructs_lib.jobs.jsonata_states import evaluated, execution, following
from tests.constructs_lib.resources import Json

DEFINITIONS: dict[JobKind, Json] = {
    TRAINING: training_state_machine_definition(
        training.job(), resources=training.RESOURCES, partition="aws"
    ),
    TRANSFORM: transform_state_machine_definition(test_batch_transform.job(), partition="aws"),
    PROCESSING: processing_state_machine_definition(test_processing_workflow.job(), partition="aws"),
    TUNING: tuning_state_machine_definition(
        test_tuning.job(), test_tuning.SEARCH, resources=training.RESOURCES, partition="aws"
    ),
}
HOUR_S = 3600
every_kind = pytest.mark.parametrize("kind", DEFINITIONS, ids=lambda kind: kind.workflow)


def states_of(kind: JobKind) -> dict[str, Json]:
    found: dict[str, Json] = DEFINITIONS[kind]["States"]
    return found


def begun(kind: JobKind, attempt: int = 1, elapsed_s: float = 0) -> Json:
    """Return the variables of an execution once an attempt is named."""
    states = states_of(kind)
    known: Json = states["ReadInput"]["Assign"] | {"attempt": attempt}
    assigned = evaluated(
        {k: v for k, v in states[f"NameJob{attempt}"]["Assign"].items() if k != "job_name"},
        context=execution(elapsed_s),
        variables=known,
    )
    return {**known, **assigned}


def ended(kind: JobKind, **changes: Any) -> Json:
    """Return the description of a job as the SDK integration has it."""
    return {
        kind.status: "Stopped",
        "CreationTime": "2026-01-01T10:00:00Z",
        "TrainingTimeInSeconds": HOUR_S,
        "BillableTimeInSeconds": HOUR_S,
        f"{kind.noun}StartTime": "2026-01-01T10:00:00Z",
        f"{kind.noun}EndTime": "2026-01-01T11:00:00.123Z",
        **changes,
    }


def described(kind: JobKind, job: Json, known: Json) -> Json:
    """Return the variables after a job was described."""
    states = states_of(kind)
    assigned: Json = evaluated(states["DescribeJob"]["Assign"], result=job, variables=known)
    return known | assigned


def judged(kind: JobKind, job: Json, known: Json) -> str:
    return following(states_of(kind)["JobEnded"], job, variables=known)[0]


def after(kind: JobKind, attempt: int, elapsed_s: float) -> str:
    known = begun(kind) | {"attempt": attempt}
    state = states_of(kind)["NextAttempt"]
    return following(state, {}, variables=known, context=execution(elapsed_s))[0]


@pytest.mark.parametrize("kind", [PROCESSING, TRANSFORM, TRAINING], ids=lambda kind: kind.workflow)
def test_an_attempt_has_what_those_before_it_have_left(kind: JobKind) -> None:
    first, second = begun(kind)["left_s"], begun(kind, 2, elapsed_s=5000.9)["left_s"]
    deadline_s = DEFINITIONS[kind]["States"]["ReadInput"]["Assign"]["ends_after_s"][1]
    assert (first, second) == (7200, deadline_s - 5000)


@every_kind
def test_all_tasks_end_with_their_attempt_and_the_machine_an_hour_later(kind: JobKind) -> None:
    definition = DEFINITIONS[kind]
    tasks = [
        state for name, state in states_of(kind).items() if name.startswith(kind.verb) and name[-1].isdigit()
    ]
    assert {task["TimeoutSeconds"] for task in tasks} == {"${TaskTimeout}"}
    # SageMaker ends a training, and a tuning, by itself: with its checkpoints, or with the best that was found.
    grace_s = 900 if kind is TRAINING else 0
    assert evaluated(kind.task_timeout, variables={"left_s": 100}) == 100 + grace_s
    deadline_s = states_of(kind)["ReadInput"]["Assign"]["ends_after_s"][-1]
    assert definition["TimeoutSeconds"] == deadline_s + grace_s + HOUR_S


@pytest.mark.parametrize(
    ("kind", "attempt", "elapsed_s", "next_state"),
    [
        (PROCESSING, 1, 60, "NameJob2"),
        (PROCESSING, 1, 6600, "NameJob2"),
        (PROCESSING, 1, 6601, "DeadlineExceeded"),
        (PROCESSING, 2, 60, "CapacityExhausted"),
        (PROCESSING, 2, 7200, "DeadlineExceeded"),
        (TRANSFORM, 1, 7300, "DeadlineExceeded"),
        (TUNING, 1, 60, "CapacityExhausted"),
        (TUNING, 1, 86_400, "DeadlineExceeded"),
        # The first attempt on Spot ends after two hours, those on demand after four.
        (TRAINING, 1, 7300, "NameJob2"),
        (TRAINING, 2, 14_000, "DeadlineExceeded"),
        # A stray job was stopped: its attempt is made anew, or where no time is left for it, the next one.
        (TRAINING, 0, 900, "NameJob1"),
        (TRAINING, 0, 7000, "NameJob2"),
    ],
)
def test_an_attempt_without_time_for_a_start_is_not_made(
    kind: JobKind, attempt: int, elapsed_s: float, next_state: str
) -> None:
    assert after(kind, attempt, elapsed_s) == next_state


def test_the_shortest_attempt_is_a_start_as_the_plan_counts_it() -> None:
    assert SHORTEST_ATTEMPT_S == START_UP_HOURS * HOUR_S


@every_kind
def test_a_job_that_timed_out_is_stopped_and_seen_to_end_before_another_is_made(kind: JobKind) -> None:
    states, known = states_of(kind), begun(kind)
    choice = states["TaskFailed"]["Choices"][1]
    assert following(states["TaskFailed"], {"Error": "States.Timeout"})[0] == choice["Next"] == "StopJob"
    known |= choice["Assign"]
    stop = states["StopJob"]
    # A job that has ended meanwhile cannot be stopped; its description tells how it ended.
    assert stop["Next"] == stop["Catch"][0]["Next"] == "WaitForEnd"
    for status, waited_s, next_state in (
        ("Stopping", 30, "WaitForEnd"),
        ("InProgress", 1770, "StopJob"),
        ("InProgress", 1800, "JobNotStopped"),
        ("Stopping", 1800, "JobNotStopped"),
        ("Stopped", 60, "NextAttempt"),
        ("Completed", 60, f"{kind.noun}Succeeded"),
    ):
        assert judged(kind, {kind.status: status}, known | {"waited_s": waited_s}) == next_state
    assert evaluated(states["WaitForEnd"]["Assign"], variables=known) == {"waited_s": 30}


@every_kind
def test_a_stopped_job_that_nobody_can_describe_is_not_followed_by_another(kind: JobKind) -> None:
    states, known = states_of(kind), begun(kind) | {"is_stopped": True}
    (catch,) = states["DescribeJob"]["Catch"]
    passed_on = evaluated(catch["Output"], state_input={})
    assert (catch["Next"], judged(kind, passed_on, known)) == ("JobEnded", "JobNotStopped")
    ending = states["JobNotStopped"]
    output = evaluated(ending["Output"], variables=known | catch["Assign"] | {"job_name": "demo-1"})
    assert (output["Error"], output[kind.name_member]) == ("JobNotStopped", "demo-1")
    assert "unknown" in (output.get("UsdOfInstances"), output.get("UsdOfInstancesAtMost"))


@every_kind
def test_what_a_task_knew_of_its_job_counts_where_the_job_cannot_be_described(kind: JobKind) -> None:
    assert judged(kind, {kind.status: "Completed"}, begun(kind)) == f"{kind.noun}Succeeded"


@pytest.mark.parametrize(
    ("kind", "member", "usd"),
    [
        # An hour of three instances, of two, and of four trainings on the more expensive of two types with two instances.
        (TRANSFORM, "UsdOfInstances", 1 * 0.5),
        (PROCESSING, "UsdOfInstances", 2 * 0.25),
        (TUNING, "UsdOfInstancesAtMost", 4 * 2 * 25.0),
        (TRAINING, "UsdOfInstances", 1.5),
    ],
    ids=lambda value: value.workflow if isinstance(value, JobKind) else "",
)
def test_a_stopped_job_has_cost_what_it_ran(kind: JobKind, member: str, usd: float) -> None:
    known = begun(kind) | {"job_name": "demo-1"}
    running = described(kind, ended(kind, **{kind.status: "Stopping"}), known)
    assert running == known
    output = evaluated(
        states_of(kind)["DeadlineExceeded"]["Output"], variables=described(kind, ended(kind), running)
    )
    assert output[member] == pytest.approx(usd)
    assert HOUR_S in output.values()


@pytest.mark.parametrize("kind", [TRANSFORM, PROCESSING, TUNING], ids=lambda kind: kind.workflow)
def test_a_success_says_what_it_cost_beside_its_description(kind: JobKind) -> None:
    job, state = ended(kind, **{kind.status: "Completed"}), states_of(kind)[f"{kind.noun}Succeeded"]
    output = evaluated(state["Output"], state_input=job, variables=described(kind, job, begun(kind)))
    assert output.items() >= job.items()
    assert {
        name for name in output if name.startswith("Usd") or name.endswith("TimeInSeconds")
    } - job.keys() == {
        f"{kind.noun}TimeInSeconds",
        "UsdOfInstancesAtMost" if kind is TUNING else "UsdOfInstances",
    }


@pytest.mark.parametrize("kind", [TRANSFORM, PROCESSING], ids=lambda kind: kind.workflow)
def test_a_job_that_never_began_costs_nothing_and_one_without_an_end_lasts_until_now(kind: JobKind) -> None:
    known, start, end = begun(kind), f"{kind.noun}StartTime", f"{kind.noun}EndTime"
    never = described(kind, {kind.status: "Failed"}, known)
    assert (never["usd"], never["unpriced_s"]) == (0, 0)
    job = ended(kind)
    del job[end]
    # It is noon.
    assert described(kind, job | {start: "2026-01-01T11:59:00Z"}, known)[f"{kind.workflow}_s"] == 60


def test_a_definition_is_far_from_what_step_functions_takes() -> None:
    """1 MB (https://docs.aws.amazon.com/step-functions/latest/dg/service-quotas.html); the plan checks what users add to it."""
    five = training.job(attempts=(training.SPOT,) * 3 + (training.ON_DEMAND,) * 2)
    definition = training_state_machine_definition(five, resources=training.RESOURCES, partition="aws")
    assert len(json.dumps(definition)) < 25_000
