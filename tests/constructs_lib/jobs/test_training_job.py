from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from constructs_lib.jobs.training_job import (
    AttemptsError,
    CodeCommandError,
    JobNamePrefixError,
    KeyPrefixError,
    RequestMemberError,
    SpotWithoutCheckpointError,
    StoppingConditionError,
    TrainingChannel,
    TrainingCheckpoint,
    TrainingCode,
    TrainingJobError,
    TrainingJobProps,
)
from tests.constructs_lib.jobs.training import ON_DEMAND, ON_DEMAND_ALONE, SPOT
from tests.constructs_lib.jobs.training import job as any_job

ON_SPOT = {
    "attempts": (SPOT,),
    "checkpoint": TrainingCheckpoint(key_prefix="weekly", interval_minutes=10),
}


def job(**changes: Any) -> TrainingJobProps:
    return any_job(**(ON_DEMAND_ALONE | changes))


@pytest.mark.parametrize(
    ("changes", "error", "message"),
    [
        (
            {"attempts": (SPOT, ON_DEMAND)},
            SpotWithoutCheckpointError,
            "needs a checkpoint",
        ),
        (ON_SPOT | {"attempts": (ON_DEMAND, SPOT)}, StoppingConditionError, "one after the other"),
        ({"attempts": (replace(ON_DEMAND, ends_after_s=0),)}, StoppingConditionError, "28 days"),
        (
            {"attempts": (replace(ON_DEMAND, ends_after_s=28 * 24 * 3600 + 1),)},
            StoppingConditionError,
            "28 days",
        ),
        ({"attempts": ()}, AttemptsError, "1 to 5"),
        ({"attempts": (ON_DEMAND,) * 6}, AttemptsError, "1 to 5"),
        ({"hyperparameters": {"epochs": "{% 1 %}"}}, RequestMemberError, "epochs: .* as an expression"),
        ({"environment_variables": {"A": "{% 1 %}"}}, RequestMemberError, "A: .* as an expression"),
        (
            {"environment_variables": {"SIZEWELL_CHECKPOINT_DIR": "/elsewhere"}},
            RequestMemberError,
            "is set for you",
        ),
        *(
            (
                {"code": TrainingCode(key_prefix="code", command=command)},
                CodeCommandError,
                "starts one script",
            )
            for command in [("torchrun", "train.py"), ("python", "train.py", "--fast"), ("bash", "train.py")]
        ),
        (
            {"channels": (TrainingChannel(channel_name="code", key_prefix="data"),)},
            RequestMemberError,
            "for the training script",
        ),
    ],
)
def test_what_sagemaker_or_step_functions_would_refuse_is_refused(
    changes: dict[str, Any], error: type[TrainingJobError], message: str
) -> None:
    with pytest.raises(error, match=message):
        job(**changes)


@pytest.mark.parametrize("prefix", ["", "a" * 51, "Upper", "-a", "a-", "a--b", "a_b"])
def test_a_prefix_that_cannot_start_a_job_name_is_refused(prefix: str) -> None:
    with pytest.raises(JobNamePrefixError):
        job(job_name_prefix=prefix)


def test_the_longest_prefix_leaves_room_for_the_unique_part() -> None:
    prefix = job(job_name_prefix="a" * 50).job_name_prefix
    assert len(f"{prefix}-{'0' * 12}") == 63


@pytest.mark.parametrize("key_prefix", ["", "/a", "a/", "a//b", "a*", "it's", "a{}"])
@pytest.mark.parametrize(
    "build",
    [
        lambda prefix: job(output_key_prefix=prefix),
        lambda prefix: TrainingChannel(channel_name="training", key_prefix=prefix),
        lambda prefix: TrainingCode(key_prefix=prefix, command=("train",)),
        lambda prefix: TrainingCheckpoint(key_prefix=prefix, interval_minutes=1),
    ],
)
def test_a_key_prefix_that_breaks_policies_or_intrinsics_is_refused(
    build: Callable[[str], object], key_prefix: str
) -> None:
    with pytest.raises(KeyPrefixError):
        build(key_prefix)


@pytest.mark.parametrize("command", [(), ("x",) * 97, ("x" * 257,), ("${Name}",)])
def test_a_command_that_the_entry_point_cannot_hold_is_refused(command: tuple[str, ...]) -> None:
    with pytest.raises(CodeCommandError):
        TrainingCode(key_prefix="code", command=command)


def test_the_training_toolkit_finds_the_script_where_sagemaker_copies_it() -> None:
    code = TrainingCode(key_prefix="code", command=("bash", "launch.sh"))
    assert job(hyperparameters={"epochs": "3"}, code=code).all_hyperparameters == {
        "epochs": "3",
        "sagemaker_program": "launch.sh",
        "sagemaker_submit_directory": "/opt/ml/input/data/code",
    }
    assert job(hyperparameters={"epochs": "3"}).all_hyperparameters == {"epochs": "3"}


def test_what_asks_for_nothing_is_refused() -> None:
    for name in ("instance_count", "volume_size_gib"):
        nothing: dict[str, Any] = {name: 0}
        with pytest.raises(AttemptsError, match="at least 1"):
            replace(ON_DEMAND, **nothing)
    with pytest.raises(StoppingConditionError, match="at least 1 minute, not 0"):
        TrainingCheckpoint(key_prefix="weekly", interval_minutes=0)
