"""The state machine of a batch transform by AWS Batch: what it asks for, and what it says of the end and the cost."""

from dataclasses import replace
from typing import Any

import pytest

from constructs_lib.clusters.batch_job import BatchJobProps
from constructs_lib.jobs.transform_by_batch import TransformByBatchProps, transform_by_batch_definition
from tests.constructs_lib.jobs.jsonata_states import evaluated, execution, following
from tests.constructs_lib.jobs.test_batch_training import LOG
from tests.constructs_lib.jobs.test_batch_training import PROPS as TRAINING
from tests.constructs_lib.resources import Json

HOUR_S = 3600
PROPS = TransformByBatchProps(
    workload_name="score",
    state_machine_name="demo-dev-score",
    instance_count=3,
    deadline_s=2 * HOUR_S,
    usd_per_hour=0.5,
    instances=replace(TRAINING.instances, waits_s={False: 2 * HOUR_S}),
    job=BatchJobProps(
        job_name="demo-dev-score",
        image_uri="111122223333.dkr.ecr.us-east-1.amazonaws.com/score:1",
        repository_arn="arn:aws:ecr:us-east-1:111122223333:repository/score",
        program="",
        environment_variables={},
        output_key_prefix="transform/score",
        input_key_prefixes=("rows/today",),
        log_stream_prefix="transform",
        vcpus=4,
        memory_mib=14_000,
        gpu_count=0,
        **LOG,
    ),
    **LOG,
)


def states_of(count: int) -> dict[str, Json]:
    definition = transform_by_batch_definition(replace(PROPS, instance_count=count), partition="aws")
    states: dict[str, Json] = definition["States"]  # type: ignore[assignment]
    return states


def begun(states: dict[str, Json], elapsed_s: float = 0) -> Json:
    known: Json = states["ReadInput"]["Assign"]
    named = {key: value for key, value in states["NameJob1"]["Assign"].items() if key != "job_name"}
    return {**known, **evaluated(named, context=execution(elapsed_s), variables=known), "job_name": "name-1"}


def job(**more: Any) -> Json:
    return {"JobId": "id-1", "Status": "SUCCEEDED", **more}


@pytest.mark.parametrize(("count", "array"), [(1, None), (3, {"Size": 3})])
def test_several_instances_are_an_array_of_as_many_jobs(count: int, array: Json | None) -> None:
    states = states_of(count)
    request = evaluated(
        states["Transform1"]["Arguments"], context=execution(0, Name="today"), variables=begun(states)
    )
    assert request.get("ArrayProperties") == array
    assert request["ContainerOverrides"] == {"Environment": [{"Name": "RUN_NAME", "Value": "today"}]}
    assert (request["JobQueue"], request["Timeout"]) == (
        "${OnDemandQueueArn}",
        {"AttemptDurationSeconds": 2 * HOUR_S},
    )


def ended(count: int, described: Json) -> Json:
    """Return the output of an execution whose job has ended well."""
    states = states_of(count)
    known = begun(states)
    known |= evaluated(states["DescribeJob"]["Assign"], result={"Jobs": [described]}, variables=known)
    output: Json = evaluated(
        states["TransformSucceeded"]["Output"],
        state_input=described,
        context=execution(HOUR_S, Name="today"),
        variables=known | {"job_id": "id-1"},
    )
    return output


def test_a_success_says_where_the_results_are_and_what_one_instance_cost() -> None:
    attempts = [{"StartedAt": 0, "StoppedAt": 600_000}, {"StartedAt": 700_000, "StoppedAt": 3_700_000}]
    output = ended(1, job(Attempts=attempts))
    assert output["S3OutputPath"] == "${OutputUri}today/"
    assert (output["TransformTimeInSeconds"], output["UsdOfInstances"]) == (3600, 0.5)
    assert output["InstanceCount"] == 1


def test_what_an_array_cost_is_unknown() -> None:
    # Its description has times of the array, which say nothing of its jobs.
    output = ended(3, job(CreatedAt=0, StartedAt=0, StoppedAt=HOUR_S * 1000, Attempts=[]))
    assert output["UsdOfInstances"] == "unknown"
    assert "TransformTimeInSeconds" not in output
    assert output["InstanceCount"] == 3


@pytest.mark.parametrize(
    ("described", "next_state"),
    [
        (job(), "TransformSucceeded"),
        (job(Status="FAILED", StatusReason="Array Child Job failed", Container={}), "JobFailed"),
        (job(Status="PENDING"), "WaitForEnd"),
    ],
)
def test_the_end_of_an_array_is_judged_by_its_description(described: Json, next_state: str) -> None:
    states = states_of(3)
    assert following(states["JobEnded"], described, variables=begun(states))[0] == next_state


def test_the_failure_of_an_array_says_how_to_find_the_jobs_that_failed() -> None:
    states = states_of(3)
    described = job(
        Status="FAILED", StatusReason="Array Child Job failed", Container={}, ArrayProperties={"Size": 3}
    )
    known = begun(states) | {"unpriced_s": 1}
    ending = evaluated(states["JobFailed"]["Output"], state_input=described, variables=known)
    assert ending["Error"] == "TransformJobFailed"
    assert ending["Cause"] == (
        "Array Child Job failed; aws batch list-jobs --array-job-id id-1 --job-status FAILED lists the jobs that failed"
    )
    assert ending["UsdOfInstances"] == "unknown"
