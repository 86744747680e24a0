from typing import Any

import pytest

from constructs_lib.training_job import (
    CODE_LAUNCHER,
    AttemptLadderError,
    CodeCommandError,
    JobNamePrefixError,
    KeyPrefixError,
    RequestMemberError,
    SpotWithoutCheckpointError,
    StoppingConditionError,
    TrainingAttempt,
    TrainingChannel,
    TrainingCheckpoint,
    TrainingCode,
    TrainingJobError,
    TrainingJobProps,
)

SPOT = TrainingAttempt(instance_type="ml.g5.2xlarge", use_managed_spot=True)
ON_DEMAND = TrainingAttempt(instance_type="ml.g5.2xlarge")
CHECKPOINT = TrainingCheckpoint(key_prefix="weekly", interval_minutes=10)


def job(**changes: Any) -> TrainingJobProps:
    values: dict[str, Any] = {
        "job_name_prefix": "demo-dev-weekly",
        "image_uri": "763104351884.dkr.ecr.us-east-1.amazonaws.com/pytorch-training:2.5",
        "attempts": (ON_DEMAND,),
        "output_key_prefix": "weekly/output",
        "max_runtime_s": 7200,
    }
    return TrainingJobProps(**(values | changes))


def test_spot_without_checkpoint_is_refused() -> None:
    with pytest.raises(SpotWithoutCheckpointError, match="needs a checkpoint"):
        job(attempts=(ON_DEMAND, SPOT), max_wait_s=7200)


@pytest.mark.parametrize("max_wait_s", [None, 7199])
def test_spot_must_wait_at_least_as_long_as_it_may_run(max_wait_s: int | None) -> None:
    with pytest.raises(StoppingConditionError, match="max_wait_s >= max_runtime_s"):
        job(attempts=(SPOT,), checkpoint=CHECKPOINT, max_wait_s=max_wait_s)


def test_spot_may_wait_exactly_as_long_as_it_may_run() -> None:
    assert job(attempts=(SPOT,), checkpoint=CHECKPOINT, max_wait_s=7200).uses_managed_spot


def test_a_wait_limit_without_spot_is_refused() -> None:
    with pytest.raises(StoppingConditionError, match="managed Spot training only"):
        job(max_wait_s=9000)


@pytest.mark.parametrize("max_runtime_s", [0, 28 * 24 * 3600 + 1])
def test_a_job_runs_between_a_second_and_28_days(max_runtime_s: int) -> None:
    with pytest.raises(StoppingConditionError, match="28 days"):
        job(max_runtime_s=max_runtime_s)


@pytest.mark.parametrize("prefix", ["", "a" * 51, "Upper", "-a", "a-", "a--b", "a_b"])
def test_a_prefix_that_cannot_start_a_job_name_is_refused(prefix: str) -> None:
    with pytest.raises(JobNamePrefixError):
        job(job_name_prefix=prefix)


def test_the_longest_prefix_leaves_room_for_the_unique_part() -> None:
    prefix = job(job_name_prefix="a" * 50).job_name_prefix
    assert len(f"{prefix}-{'0' * 12}") == 63


@pytest.mark.parametrize("key_prefix", ["", "/a", "a/", "a//b", "a*", "it's", "a{}"])
def test_a_key_prefix_that_breaks_policies_or_intrinsics_is_refused(key_prefix: str) -> None:
    with pytest.raises(KeyPrefixError):
        job(output_key_prefix=key_prefix)
    with pytest.raises(KeyPrefixError):
        TrainingChannel(channel_name="training", key_prefix=key_prefix)
    with pytest.raises(KeyPrefixError):
        TrainingCode(key_prefix=key_prefix, command=("train",))
    with pytest.raises(KeyPrefixError):
        TrainingCheckpoint(key_prefix=key_prefix, interval_minutes=1)


@pytest.mark.parametrize("attempts", [(), (ON_DEMAND,) * 6])
def test_the_ladder_has_one_to_five_rungs(attempts: tuple[TrainingAttempt, ...]) -> None:
    with pytest.raises(AttemptLadderError, match="1 to 5"):
        job(attempts=attempts)


@pytest.mark.parametrize("change", [{"instance_count": 0}, {"volume_size_gib": 0}])
def test_an_attempt_asks_for_something(change: dict[str, int]) -> None:
    with pytest.raises(AttemptLadderError, match="at least 1"):
        TrainingAttempt(instance_type="ml.g5.2xlarge", **change)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "change",
    [
        {"hyperparameters": {"epochs.$": "3"}},
        {"environment_variables": {"PATH.$": "x"}},
        {"environment_variables": {"SIZEWELL_CHECKPOINT_DIR": "/elsewhere"}},
        {"maximum_retry_attempts": 0},
        {"maximum_retry_attempts": 31},
    ],
)
def test_members_that_the_request_cannot_carry_are_refused(change: dict[str, Any]) -> None:
    with pytest.raises(RequestMemberError):
        job(**change)


@pytest.mark.parametrize("command", [(), ("x",) * 97, ("x" * 257,), ("${Name}",)])
def test_a_command_that_the_entry_point_cannot_hold_is_refused(command: tuple[str, ...]) -> None:
    with pytest.raises(CodeCommandError):
        TrainingCode(key_prefix="code", command=command)


def test_the_longest_command_and_its_launcher_fill_the_entry_point() -> None:
    assert len(CODE_LAUNCHER) + len(TrainingCode(key_prefix="code", command=("x" * 256,) * 96).command) == 100


def test_no_channel_may_take_the_place_of_the_script() -> None:
    with pytest.raises(RequestMemberError, match="for the training script"):
        job(channels=(TrainingChannel(channel_name="code", key_prefix="data"),))


def test_a_checkpoint_interval_is_at_least_a_minute() -> None:
    with pytest.raises(StoppingConditionError):
        TrainingCheckpoint(key_prefix="weekly", interval_minutes=0)


def test_every_error_is_a_value_error_of_one_family() -> None:
    assert issubclass(TrainingJobError, ValueError)
    assert issubclass(SpotWithoutCheckpointError, TrainingJobError)
