"""The state machine of a training by AWS Batch: how a job is asked for, found, stopped and judged, and what it cost."""

from typing import Any

import pytest
from aws_cdk import RemovalPolicy

from constructs_lib.clusters.batch_instances import BatchInstancesProps
from constructs_lib.clusters.batch_job import BatchJobProps
from constructs_lib.jobs.batch_training import BatchAttempt, BatchTrainingProps, batch_training_definition
from tests.constructs_lib.jobs.jsonata_states import evaluated, execution, following
from tests.constructs_lib.resources import Json

HOUR_S = 3600
LOG: dict[str, Any] = {"log_retention_days": 30, "removal_policy": RemovalPolicy.DESTROY, "foundation": None}
PROPS = BatchTrainingProps(
    workload_name="mail",
    state_machine_name="demo-dev-mail",
    attempts=(
        BatchAttempt(spot=True, ends_after_s=2 * HOUR_S, usd_per_hour=0.5),
        BatchAttempt(spot=False, ends_after_s=4 * HOUR_S, usd_per_hour=2.0),
    ),
    hyperparameters={"epochs": "3"},
    instances=BatchInstancesProps(
        instance_types=("g5.xlarge", "g6.xlarge"),
        has_gpus=True,
        max_vcpus=8,
        volume_size_gib=100,
        longest_job_s=4 * HOUR_S,
        waits_s={True: 2 * HOUR_S, False: 4 * HOUR_S},
        instance_tags={},
        foundation=None,  # type: ignore[arg-type]
    ),
    job=BatchJobProps(
        job_name="demo-dev-mail",
        image_uri="111122223333.dkr.ecr.us-east-1.amazonaws.com/train:1",
        repository_arn="arn:aws:ecr:us-east-1:111122223333:repository/train",
        program="",
        environment_variables={},
        input_key_prefixes=(),
        output_key_prefix="output/mail",
        vcpus=4,
        memory_mib=14_000,
        gpu_count=1,
        checkpoint_key_prefix="mail",
        log_stream_prefix="train",
        **LOG,
    ),
    **LOG,
)
DEFINITION: Json = batch_training_definition(PROPS, partition="aws")
STATES: dict[str, Json] = DEFINITION["States"]
CONTAINER = {"ExitCode": 1, "LogStreamName": "train/default/1"}


def begun(attempt: int = 1, elapsed_s: float = 0) -> Json:
    """Return the variables of an execution once an attempt is named."""
    known: Json = STATES["ReadInput"]["Assign"] | {"attempt": attempt}
    named = {key: value for key, value in STATES[f"NameJob{attempt}"]["Assign"].items() if key != "job_name"}
    return {
        **known,
        **evaluated(named, context=execution(elapsed_s), variables=known),
        "job_name": "demo-dev-mail-1",
    }


def job(status: str, reason: str = "", **more: Any) -> Json:
    """Return the description of a job that ran for an hour."""
    attempts = [{"StartedAt": 1000, "StoppedAt": 1000 + HOUR_S * 1000, "Container": {"ExitCode": 143}}]
    described = {"JobId": "id-1", "Status": status, "StatusReason": reason, "Attempts": attempts}
    return described | {"Container": CONTAINER} | more


def judged(described: Json, **known: Any) -> str:
    return following(STATES["JobEnded"], described, variables=begun() | known)[0]


def told(error: str, cause: str | None = None, **known: Any) -> tuple[str, Json]:
    """Return where an error of the task leads, and the variables then."""
    state_input = {"Error": error, **({} if cause is None else {"Cause": cause})}
    variables = begun() | known
    for choice in STATES["TaskFailed"]["Choices"]:
        if evaluated(choice["Condition"], state_input=state_input, variables=variables):
            assigned = evaluated(choice.get("Assign", {}), state_input=state_input, variables=variables)
            return choice["Next"], variables | assigned
    return STATES["TaskFailed"]["Default"], variables


def transitions(state: Json) -> list[str]:
    targets = [state[key] for key in ("Next", "Default") if key in state]
    return targets + [branch["Next"] for key in ("Choices", "Catch") for branch in state.get(key, [])]


def test_every_transition_leads_to_a_state_and_every_state_is_reached() -> None:
    reached: set[str] = set()
    waiting = [DEFINITION["StartAt"]]
    while waiting:
        name = waiting.pop()
        if name not in reached:
            reached.add(name)
            waiting += transitions(STATES[name])
    assert reached == set(STATES)
    tasks = [state for state in STATES.values() if state["Type"] == "Task"]
    assert all(task["Catch"][-1]["ErrorEquals"] == ["States.ALL"] for task in tasks)


def test_a_job_is_named_after_the_run_whose_checkpoints_it_resumes_and_has_what_is_left_of_its_attempt() -> (
    None
):
    known = begun(2, elapsed_s=2 * HOUR_S)
    given = {"hyperparameters": {"epochs": "5"}, "resume": "last-week"}
    for execution_input, run_name, hyperparameters in (
        ({}, "today", '{"epochs":"3"}'),
        (given, "last-week", '{"epochs":"5"}'),
    ):
        context = execution(2 * HOUR_S, Name="today", Input=execution_input)
        request = evaluated(STATES["Train2"]["Arguments"], context=context, variables=known)
        assert request["JobQueue"] == "${OnDemandQueueArn}"
        assert request["Timeout"] == {"AttemptDurationSeconds": 2 * HOUR_S}
        assert request["ContainerOverrides"]["Environment"] == [
            {"Name": "HYPERPARAMETERS", "Value": hyperparameters},
            {"Name": "RUN_NAME", "Value": run_name},
        ]


@pytest.mark.parametrize(
    ("described", "next_state"),
    [
        (job("SUCCEEDED"), "TrainingSucceeded"),
        (job("FAILED", "Essential container in task exited"), "JobFailed"),
        (job("FAILED", "Host EC2 (instance i-1) terminated."), "NextAttempt"),
        (
            job(
                "FAILED",
                "Canceled by JobStateTimeLimit action due to reason: CAPACITY:INSUFFICIENT_INSTANCE_CAPACITY",
            ),
            "NextAttempt",
        ),
        (
            job(
                "FAILED",
                "Canceled by JobStateTimeLimit action due to reason: MISCONFIGURATION:JOB_RESOURCE_REQUIREMENT",
            ),
            "JobFailed",
        ),
        # The system of the host ended it, once more than Batch tries again.
        (
            job("FAILED", "Essential container in task exited", Container={"ExitCode": 143}),
            "NextAttempt",
        ),
        (job("FAILED", "somebody", IsTerminated=True), "JobStopped"),
        # What the task saw to end, its description may still call running.
        (job("RUNNING"), "WaitForEnd"),
        ({}, "JobNotStopped"),
    ],
    ids=lambda value: value if isinstance(value, str) else value.get("StatusReason", "nothing"),
)
def test_the_end_of_a_job_is_judged_by_its_description(described: Json, next_state: str) -> None:
    assert judged(described) == next_state


def test_a_script_that_fails_like_a_lost_host_is_a_script_that_fails() -> None:
    container = {"ExitCode": 1, "Reason": "Host EC2 is what the script prints"}
    described = job("FAILED", "Essential container in task exited", Container=container)
    assert judged(described) == "JobFailed"


def test_a_failure_says_why_and_where_its_log_is() -> None:
    described = job("FAILED", "Essential container in task exited")
    ending = evaluated(
        STATES["JobFailed"]["Output"], state_input=described, variables=begun() | {"training_s": 1, "usd": 1}
    )
    assert ending["Error"] == "TrainingJobFailed"
    assert ending["Cause"] == "Essential container in task exited; exit code 1; log stream train/default/1"


@pytest.mark.parametrize(
    ("status", "waited_s", "next_state"),
    [
        ("RUNNING", 30, "StopJob"),
        ("RUNNABLE", 1770, "StopJob"),
        ("RUNNING", 1800, "JobNotStopped"),
        ("FAILED", 60, "NextAttempt"),
        ("SUCCEEDED", 60, "TrainingSucceeded"),
    ],
)
def test_a_job_that_timed_out_is_found_stopped_and_seen_to_end_before_another_is_made(
    status: str, waited_s: int, next_state: str
) -> None:
    where, known = told("States.Timeout")
    assert where == "FindJob"
    found = evaluated(
        STATES["FindJob"]["Assign"], result={"JobSummaryList": [{"JobId": "id-1"}]}, variables=known
    )
    known |= found
    assert following(STATES["JobFound"], {}, variables=known)[0] == "StopJob"
    assert evaluated(STATES["StopJob"]["Arguments"], variables=known)["JobId"] == "id-1"
    assert (
        following(STATES["JobEnded"], job(status), variables=known | {"waited_s": waited_s})[0] == next_state
    )


def test_a_request_without_an_answer_is_not_repeated_before_its_job_was_looked_for() -> None:
    assert "Retry" not in STATES["Train1"]
    where, known = told("Batch.AWSBatchException", "Service unavailable (HTTP 500)")
    assert (where, known["attempt"]) == ("FindJob", 0)
    nothing = evaluated(STATES["FindJob"]["Assign"], result={"JobSummaryList": []}, variables=known)
    known |= nothing
    waits = [
        following(STATES["JobFound"], {}, variables=known | {"waited_s": waited_s})[0]
        for waited_s in (0, 90, 120)
    ]
    assert waits == ["WaitToFind", "WaitToFind", "NextAttempt"]


def test_a_job_that_timed_out_and_is_nowhere_is_followed_by_no_other() -> None:
    _, known = told("States.Timeout")
    assert following(STATES["JobFound"], {}, variables=known | {"waited_s": 120})[0] == "JobNotStopped"


def test_a_refused_request_fails() -> None:
    assert told("Batch.ClientException", "JobDefinition is not active")[0] == "TrainingFailed"
    where, known = told("States.TaskFailed", '{"JobId": "id-9", "Status": "FAILED"}')
    assert (where, known["job_id"]) == ("DescribeJob", "id-9")


def test_a_job_whose_description_is_cut_off_is_looked_for_and_judged_as_any_other() -> None:
    where, known = told("States.TaskFailed", '{"JobId": "id-9", "Status": "FAI')
    assert where == "FindJob"
    known |= {"job_id": "id-9"}
    lost = job("FAILED", "Host EC2 (instance i-1) terminated.")
    assert following(STATES["JobEnded"], lost, variables=known)[0] == "NextAttempt"
    assert following(STATES["JobEnded"], job("FAILED", "no"), variables=known)[0] == "JobFailed"


def test_all_attempts_count_and_a_job_that_runs_does_not_yet() -> None:
    known, assign = begun(), STATES["DescribeJob"]["Assign"]
    running = evaluated(assign, result={"Jobs": [job("RUNNING")]}, variables=known)
    assert (running["training_s"], running["usd"]) == (0, 0)
    # A host was lost after half an hour, and one before it said when it stopped.
    attempts = [
        {"StartedAt": 0, "StoppedAt": 1_800_000},
        {"StartedAt": 2_000_000},
        {"StartedAt": 3_000_000, "StoppedAt": 6_600_000},
    ]
    ended = evaluated(assign, result={"Jobs": [job("SUCCEEDED", Attempts=attempts)]}, variables=known)
    assert (ended["training_s"], ended["interruptions"]) == (5400, 2)
    assert ended["usd"] == pytest.approx(1.5 * 0.5)
    # One that never began.
    cancelled = evaluated(assign, result={"Jobs": [{"Status": "FAILED"}]}, variables=known)
    assert (cancelled["training_s"], cancelled["usd"], cancelled["interruptions"]) == (0, 0, 0)


def test_a_success_says_where_the_model_is_and_what_it_cost() -> None:
    known = begun() | {"job_id": "id-1", "training_s": 5400, "usd": 0.756, "interruptions": 3}
    context = execution(5400, Name="today", Input={})
    output = evaluated(
        STATES["TrainingSucceeded"]["Output"], state_input=job("SUCCEEDED"), variables=known, context=context
    )
    assert output["ModelArtifacts"] == "${OutputUri}today/output/model.tar.gz"
    assert (output["UsdOfInstances"], output["TrainingTimeInSeconds"]) == (0.76, 5400)
    assert output["InstanceTypes"] == ["g5.xlarge", "g6.xlarge"]
    assert len(output["Warnings"]) == 1
