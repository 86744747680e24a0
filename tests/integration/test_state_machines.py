"""The training state machines of production, executed through every way in which training can end.

Where the local cloud differs from Step Functions: a task that would hang until its time-out times out at once, and the clock
of its execution goes on by as much; waits and retries are as short as jobs; the limit of the whole execution (``TimeoutSeconds``
of the machine) is not kept; histories have no ``TaskSubmitted`` and ``TaskStarted`` and name a task's resource by its whole ARN.
AWS does not document whether a stopped job fails its ``.sync`` task: such ends are executed both ways.
"""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

from sizewell.kinds.training_job.plan_model import TrainingJobPlan
from sizewell.planning.training_plan_model import TrainingAttemptPlan
from tests.integration.executions import FAST, Json, ended, machine_arn, start
from tests.integration.harness import Admin, Deployment
from tests.integration.mailbox import Mailbox, mailbox_of_alarms
from tests.localcloud.processes import until
from tests.synthesis import PROJECT_ROOT

#: Every test orders an outcome, or asks the local cloud what was asked of it. The machines of one environment are those of all.
pytestmark = [pytest.mark.usefixtures("admin"), pytest.mark.parametrize("deployed", ["prod"], indirect=True)]

CAPACITY_REASON = "CapacityError: Unable to provision requested ML compute capacity.\nPlease retry."
CREATE_JOB = "arn:aws:states:::sagemaker:createTrainingJob.sync"
AROUND_WORK = ("Work", "Succeeded", "WorthTelling", "WhoTells", "TellFailure", "TellSuccess", "Failed")


def _workloads() -> list[str]:
    base = YAML(typ="safe").load(Path(PROJECT_ROOT / "config" / "base.yaml"))
    return [name for name, workload in base["workloads"].items() if workload["kind"] == "training-job"]


@dataclass
class Ended:
    """How an execution ended."""

    arn: str
    status: str
    error: str | None
    output: Json | None
    history: list[Json]

    @property
    def name(self) -> str:
        """The last part of its ARN."""
        return self.arn.rpartition(":")[2]

    @property
    def states(self) -> list[str]:
        """The states of the work that it entered, without those that tell of its end."""
        entered = [
            event["stateEnteredEventDetails"]["name"]
            for event in self.history
            if "stateEnteredEventDetails" in event
        ]
        return [name for name in entered if name not in AROUND_WORK]

    def events(self, kind: str) -> list[Json]:
        """Return the events of a type."""
        return [event for event in self.history if event["type"] == kind]


@dataclass
class Machine:
    """The deployed state machine of one workload, and what it asked of SageMaker."""

    deployed: Deployment
    plan: TrainingJobPlan
    admin: Admin

    @property
    def arn(self) -> str:
        """The ARN of the machine."""
        return machine_arn(self.deployed, self.plan.state_machine_name)

    def order(self, outcome: str, reason: str = "", *, times: int = 1) -> None:
        """Order what the next jobs come to."""
        for _ in range(times):
            self.admin.script("training", self.plan.job_name_prefix, outcome, reason)

    def start(self, **given: Any) -> str:
        """Start an execution with an input."""
        return start(self.deployed, self.plan.state_machine_name, **given)

    def run(self, **given: Any) -> Ended:
        """Start an execution and wait for its end."""
        return self.wait(self.start(**given))

    def wait(self, arn: str) -> Ended:
        execution = ended(self.deployed, arn)
        pages = self.client.get_paginator("get_execution_history").paginate(executionArn=arn)
        history = [event for page in pages for event in page["events"]]
        output = json.loads(execution["output"]) if "output" in execution else None
        return Ended(arn, execution["status"], execution.get("error"), output, history)

    @property
    def client(self) -> Any:
        return self.deployed.client("stepfunctions")

    @property
    def sagemaker(self) -> Any:
        return self.deployed.client("sagemaker")

    def requests(self, operation: str = "CreateTrainingJob") -> list[Json]:
        """Return the requests that were made for this workload since the test began, refused ones as well."""
        return [
            call["request"]
            for call in self.admin.calls()
            if (call["service"], call["operation"]) == ("sagemaker", operation)
            and call["request"]["TrainingJobName"].startswith(f"{self.plan.job_name_prefix}-")
        ]

    def asked(self) -> list[TrainingAttemptPlan]:
        """Return the attempts of the plan that were asked for, after looking at every other member of each request."""
        found = []
        for request in self.requests():
            asked = (request["ResourceConfig"]["InstanceType"], request["EnableManagedSpotTraining"])
            (attempt,) = (a for a in self.plan.attempts if (a.instance_type, a.spot) == asked)
            found.append(attempt)
        return found

    def jobs(self) -> list[Json]:
        """Return the jobs that were made since the test began, in their order."""
        pages = self.sagemaker.get_paginator("list_training_jobs").paginate()
        made = {job["TrainingJobName"] for page in pages for job in page["TrainingJobSummaries"]}
        names = dict.fromkeys(request["TrainingJobName"] for request in self.requests())
        return [self.sagemaker.describe_training_job(TrainingJobName=name) for name in names if name in made]

    @contextmanager
    def held_while_training(self) -> Iterator[tuple[str, str]]:
        """Start an execution, hold its job once it trains, and yield the ARN of the one and the name of the other."""
        with self.admin.held(f"run {self.plan.job_name_prefix}-") as job:
            arn = self.start()
            for _ in range(2):  # it starts, and downloads
                job.until_pause()
                job.end_pause()
            job.until_pause()
            (found,) = self.jobs()
            assert found["SecondaryStatus"] == "Training"
            yield arn, found["TrainingJobName"]

    def until_status(self, name: str, status: str) -> Json:
        return until(
            lambda: self.sagemaker.describe_training_job(TrainingJobName=name),
            lambda job: bool(job["TrainingJobStatus"] == status),
        )


@pytest.fixture(params=_workloads())
def machine(request: pytest.FixtureRequest, deployed: Deployment, admin: Admin) -> Machine:
    (plan,) = (job for job in deployed.plan.of(TrainingJobPlan) if job.name == request.param)
    admin.set(time_scale=FAST)
    return Machine(deployed, plan, admin)


@pytest.fixture
def mailbox(deployed: Deployment) -> Iterator[Mailbox]:
    with mailbox_of_alarms(deployed) as found:
        yield found


def assert_succeeded(machine: Machine, execution: Ended, attempts: int) -> None:
    """The first so many attempts of the plan were made in their order, and the last of them was a success."""
    assert (execution.status, execution.error) == ("SUCCEEDED", None)
    assert execution.states[-1] == "TrainingSucceeded"
    assert machine.asked() == list(machine.plan.attempts[:attempts])
    assert checkpoints(machine) == expected_checkpoints(machine, execution, attempts)


def assert_notified(machine: Machine, mailbox: Mailbox, execution: Ended, *reasons: str) -> Json:
    """The execution failed and told so once: which workload, which execution and why."""
    assert (execution.status, execution.error) == ("FAILED", "TrainingFailed")
    assert execution.states[-1] == "TrainingFailed"
    (message,) = until(mailbox.messages, bool)
    failure: Json = json.loads(message.pop("cause"))
    assert int(message.pop("durationInSeconds")) >= 0
    assert message == {
        "kind": "training",
        "workload": machine.plan.name,
        "executionArn": execution.arn,
        "status": "FAILED",
        "error": "TrainingFailed",
    }
    for reason in reasons:
        assert reason in json.dumps(failure, ensure_ascii=False)
    return failure


def checkpoints(machine: Machine) -> list[str | None]:
    return [request.get("CheckpointConfig", {}).get("S3Uri") for request in machine.requests()]


def expected_checkpoints(machine: Machine, execution: Ended, attempts: int) -> list[str | None]:
    """Return where the jobs of an execution save: of this execution, so that the next attempt on such hardware resumes."""
    checkpoint = machine.plan.checkpoint
    if checkpoint is None:
        return [None] * attempts
    bucket = machine.deployed.plan.foundation.checkpoint_bucket_name
    folder = f"s3://{bucket}/{checkpoint.prefix}/{execution.name}"
    return [f"{folder}/{attempt.hardware}/" for attempt in machine.plan.attempts[:attempts]]


def hyperparameters(plan: TrainingJobPlan) -> dict[str, str]:
    """Return those of the plan, and where the training toolkit of the image finds the script."""
    if plan.code is None:
        return plan.hyperparameters
    return plan.hyperparameters | {
        "sagemaker_program": plan.code.command[-1],
        "sagemaker_submit_directory": "/opt/ml/input/data/code",
    }


def test_success(machine: Machine, mailbox: Mailbox) -> None:
    execution = machine.run()
    assert_succeeded(machine, execution, 1)
    looks = ["LookBack"] if any(attempt.gpu_count for attempt in machine.plan.attempts) else []
    states = ["ReadInput", "NameJob1", "Train1", "DescribeJob", "JobEnded", *looks, "TrainingSucceeded"]
    assert execution.states == states
    (job,) = machine.jobs()
    assert (job["TrainingJobStatus"], job["SecondaryStatus"]) == ("Completed", "Completed")
    assert mailbox.messages() == []


def test_people_hear_of_gpus_that_were_hardly_used(machine: Machine, mailbox: Mailbox) -> None:
    gpu_count = machine.plan.attempts[0].gpu_count
    with machine.held_while_training() as (arn, name):
        machine.deployed.client("cloudwatch").put_metric_data(
            Namespace="/aws/sagemaker/TrainingJobs",
            MetricData=[
                {
                    "MetricName": "GPUUtilization",
                    "Dimensions": [{"Name": "Host", "Value": f"{name}/algo-1"}],
                    "Value": 7.0 * gpu_count,
                }
            ],
        )
    execution = machine.wait(arn)
    assert execution.status == "SUCCEEDED"
    if gpu_count == 0:
        assert mailbox.messages() == []
        return
    (message,) = until(mailbox.messages, bool)
    output = json.loads(message["output"])
    assert (message["status"], output["GpuUtilizationPercent"]) == ("SUCCEEDED", 7)
    assert "7 % on average" in output["Warnings"][0]


def test_the_output_says_what_the_run_came_to(machine: Machine) -> None:
    """Ten minutes of training; the local cloud bills 30 % of them on Spot."""
    execution, first = machine.run(), machine.plan.attempts[0]
    (job,) = machine.jobs()
    billed_s = 180 if first.spot else 600
    assert first.usd_per_hour is not None
    assert execution.output == {
        "TrainingJobName": job["TrainingJobName"],
        "InstanceType": first.instance_type,
        "InstanceCount": first.instance_count,
        "ManagedSpot": first.spot,
        "ModelArtifacts": job["ModelArtifacts"]["S3ModelArtifacts"],
        "TrainingTimeInSeconds": 600,
        "BillableTimeInSeconds": billed_s,
        "SpotSavingsPercent": 70 if first.spot else 0,
        "Metrics": {},
        "GpuUtilizationPercent": "unknown",
        "Interruptions": 0,
        "Warnings": [],
        "UsdOfInstances": round(billed_s * first.instance_count * first.usd_per_hour / 3600, 2),
    }


def test_a_deadline_in_danger_leads_from_spot_to_on_demand_and_both_are_paid(
    machine: Machine, mailbox: Mailbox
) -> None:
    """Spot is interrupted until its time is over; the next job goes on from the checkpoints of the last."""
    on_spot = [attempt for attempt in machine.plan.attempts if attempt.spot]
    if not on_spot:
        pytest.skip("the job runs on demand in this environment")
    machine.order("max_runtime", times=len(on_spot))
    execution = machine.run()
    assert_succeeded(machine, execution, len(on_spot) + 1)
    last, jobs = machine.plan.attempts[len(on_spot)], machine.jobs()
    assert not last.spot
    limits_s = [job["StoppingCondition"]["MaxRuntimeInSeconds"] for job in jobs]
    ends_s = [attempt.ends_after_s for attempt in machine.plan.attempts[: len(jobs)]]
    # Each has what those before it have left, less the seconds that the execution itself took.
    assert all(
        0 <= end_s - used_s - limit_s < 600
        for end_s, used_s, limit_s in zip(ends_s, [0, *ends_s], limits_s, strict=False)
    )
    assert execution.output is not None
    assert execution.output["BillableTimeInSeconds"] == 180 * len(on_spot) + 600
    assert execution.output["TrainingTimeInSeconds"] == 600 * len(jobs)
    assert mailbox.messages() == []


def test_a_job_on_demand_that_misses_the_deadline_is_told(machine: Machine, mailbox: Mailbox) -> None:
    on_spot = sum(attempt.spot for attempt in machine.plan.attempts)
    machine.order("max_runtime", times=on_spot + 1)
    failure = assert_notified(machine, mailbox, machine.run(), "its deadline passed")
    assert failure["Error"] == "DeadlineExceeded"
    assert machine.asked() == list(machine.plan.attempts[: on_spot + 1])


def test_a_run_may_be_given_other_hyperparameters_and_the_checkpoints_of_an_earlier_one(
    machine: Machine,
) -> None:
    resumed = {"resume": "earlier"} if machine.plan.checkpoint else {}
    execution = machine.run(hyperparameters={"epochs": "7"}, **resumed)
    assert execution.status == "SUCCEEDED"
    (job,) = machine.jobs()
    assert job["HyperParameters"] == hyperparameters(machine.plan) | {"epochs": "7"}
    if machine.plan.checkpoint:
        assert "/earlier/" in job["CheckpointConfig"]["S3Uri"]


def test_an_input_that_nothing_reads_is_refused_before_any_job(machine: Machine, mailbox: Mailbox) -> None:
    failure = assert_notified(machine, mailbox, machine.run(epochs="7"), "not with epochs")
    assert failure["Error"] == "InputRefused"
    assert machine.jobs() == []


def test_no_capacity_leads_to_the_next_instance_type(machine: Machine, mailbox: Mailbox) -> None:
    machine.order("capacity")
    execution = machine.run()
    assert_succeeded(machine, execution, 2)
    failed, completed = machine.jobs()
    assert (failed["TrainingJobStatus"], completed["TrainingJobStatus"]) == ("Failed", "Completed")
    assert failed["FailureReason"].startswith("CapacityError")
    assert failed["TrainingJobName"] != completed["TrainingJobName"]
    assert mailbox.messages() == []


def test_each_attempt_makes_the_request_of_its_state(machine: Machine) -> None:
    plan = machine.plan
    machine.order("capacity", times=len(plan.attempts) - 1)
    assert_succeeded(machine, machine.run(), len(plan.attempts))
    described = machine.client.describe_state_machine(stateMachineArn=machine.arn)
    (branch,) = json.loads(described["definition"])["States"]["Work"]["Branches"]
    stated = [
        state["Arguments"] for state in branch["States"].values() if state.get("Resource") == CREATE_JOB
    ]
    assert len(stated) == len(plan.attempts)
    for request, attempt in zip(machine.requests(), plan.attempts, strict=True):
        (limit_s,) = set(request["StoppingCondition"].values())
        assert 0 <= attempt.ends_after_s - limit_s < 600  # seconds since the execution began
        assert request["HyperParameters"] == hyperparameters(plan)
        # What an execution works out; the checkpoints have been looked at above.
        worked_out = {"HyperParameters", "StoppingCondition", "TrainingJobName", "CheckpointConfig"}
        assert {**request, **dict.fromkeys(worked_out)} in [
            {**a, **dict.fromkeys(worked_out)} for a in stated
        ]


def test_no_capacity_anywhere(machine: Machine, mailbox: Mailbox) -> None:
    machine.order("capacity", times=len(machine.plan.attempts))
    execution = machine.run()
    failure = assert_notified(machine, mailbox, execution, *(a.instance_type for a in machine.plan.attempts))
    assert failure["Error"] == "CapacityExhausted"
    assert machine.asked() == list(machine.plan.attempts)
    assert checkpoints(machine) == expected_checkpoints(machine, execution, len(machine.plan.attempts))


def test_a_quota_of_zero_leads_to_the_next_instance_type(machine: Machine, mailbox: Mailbox) -> None:
    machine.order("quota")
    execution = machine.run()
    assert_succeeded(machine, execution, 2)
    (failed,) = execution.events("TaskFailed")
    assert failed["taskFailedEventDetails"]["error"] == "SageMaker.ResourceLimitExceededException"
    assert len(machine.jobs()) == 1
    assert mailbox.messages() == []


def test_an_interruption_resumes_in_the_same_job(machine: Machine, mailbox: Mailbox) -> None:
    machine.order("interrupted")
    execution = machine.run()
    assert_succeeded(machine, execution, 1)
    (job,) = machine.jobs()
    steps = [step["Status"] for step in job["SecondaryStatusTransitions"]]
    assert steps.index("Interrupted") < len(steps) - steps[::-1].index("Training") - 1
    assert steps[-1] == "Completed"
    assert execution.output is not None
    assert execution.output["Interruptions"] == 1
    assert [job.get("CheckpointConfig", {}).get("S3Uri")] == expected_checkpoints(machine, execution, 1)
    assert mailbox.messages() == []


@pytest.mark.parametrize(
    "reason",
    [
        "AlgorithmError: ExecuteUserScriptError: ExitCode 1",
        'AlgorithmError: KeyError: "it\'s {missing}" in C:\\data\n  File "train.py", line 1 ✗',
        # What a script prints of capacity is no lack of capacity.
        "AlgorithmError: RuntimeError: CapacityError: Insufficient capacity",
    ],
    ids=["plain", "quotes", "misleading"],
)
def test_a_failure_is_notified_and_not_repeated(machine: Machine, mailbox: Mailbox, reason: str) -> None:
    machine.order("failed", reason)
    execution = machine.run()
    failure = assert_notified(machine, mailbox, execution)
    (job,) = machine.jobs()
    assert failure["TrainingJobName"] == job["TrainingJobName"]
    assert (failure["Error"], failure["Cause"]) == ("TrainingJobFailed", reason)
    assert failure["TrainingTimeInSeconds"] == job["TrainingTimeInSeconds"]
    assert machine.asked() == [machine.plan.attempts[0]]


def test_a_failure_after_a_lack_of_capacity(machine: Machine, mailbox: Mailbox) -> None:
    machine.order("capacity", CAPACITY_REASON)
    machine.order("failed", "AlgorithmError: out of memory")
    assert_notified(machine, mailbox, machine.run(), "AlgorithmError: out of memory")
    assert machine.asked() == list(machine.plan.attempts[:2])


def test_a_job_that_never_ends_is_stopped_and_the_next_attempt_has_what_is_left(
    machine: Machine, mailbox: Mailbox
) -> None:
    first, second = machine.plan.attempts[:2]
    machine.order("hang")
    execution = machine.run()
    assert len(execution.events("TaskTimedOut")) == 1
    if first.ends_after_s == second.ends_after_s:
        assert_notified(machine, mailbox, execution, "deadline")
        (job,) = machine.jobs()
        assert job["TrainingJobStatus"] == "Stopped"
        return
    assert_succeeded(machine, execution, 2)
    hanging, completed = machine.jobs()
    assert machine.requests("StopTrainingJob") == [{"TrainingJobName": hanging["TrainingJobName"]}]
    # It has ended, and been paid for, before the next one begins to write to the same checkpoints.
    assert hanging["TrainingEndTime"] <= completed["CreationTime"]
    assert completed["TrainingJobStatus"] == "Completed"
    assert execution.output is not None
    assert execution.output["TrainingTimeInSeconds"] == 1200
    assert mailbox.messages() == []


@pytest.mark.parametrize("fails", [True, False], ids=["stopped fails", "stopped passes"])
def test_a_spot_job_that_waits_too_long_leads_to_the_next_type(
    machine: Machine, mailbox: Mailbox, admin: Admin, fails: bool
) -> None:
    admin.set(stopped_job_fails_task=fails)
    machine.order("max_wait")
    execution = machine.run()
    assert_succeeded(machine, execution, 2)
    assert [bool(execution.events("TaskFailed")), "TaskFailed" in execution.states] == [fails, fails]
    assert machine.jobs()[0]["SecondaryStatus"] == "MaxWaitTimeExceeded"
    assert mailbox.messages() == []


@pytest.mark.parametrize("fails", [True, False], ids=["stopped fails", "stopped passes"])
def test_a_job_that_somebody_stops_is_notified(
    machine: Machine, mailbox: Mailbox, admin: Admin, fails: bool
) -> None:
    admin.set(stopped_job_fails_task=fails)
    with machine.held_while_training() as (arn, name):
        machine.sagemaker.stop_training_job(TrainingJobName=name)
    execution = machine.wait(arn)
    failure = assert_notified(machine, mailbox, execution)
    assert (failure["Error"], failure["Cause"]) == ("TrainingJobStopped", "Stopped")
    assert failure["TrainingJobName"] == name
    assert 0 < failure["BillableTimeInSeconds"] < failure["TrainingTimeInSeconds"]
    assert machine.asked() == [machine.plan.attempts[0]]


def test_an_abort_stops_the_job_and_is_told(machine: Machine, mailbox: Mailbox) -> None:
    with machine.held_while_training() as (arn, name):
        machine.client.stop_execution(executionArn=arn)
        machine.until_status(name, "Stopping")
    machine.until_status(name, "Stopped")
    execution = machine.wait(arn)
    assert execution.status == "ABORTED"
    assert execution.states == ["ReadInput", "NameJob1", "Train1"]
    assert execution.history[-1]["type"] == "ExecutionAborted"
    assert len(machine.jobs()) == 1
    (message,) = until(mailbox.messages, bool)
    assert (message["executionArn"], message["status"]) == (execution.arn, "ABORTED")


def throttle(machine: Machine, times: int) -> None:
    fields = {"service": "sagemaker", "operation": "CreateTrainingJob", "moment": "before", "effect": "error"}
    for _ in range(times):
        machine.admin._post("faults", fields | {"code": "ThrottlingException", "message": "Rate exceeded"})


def test_throttling_is_retried_with_the_same_request(machine: Machine, mailbox: Mailbox) -> None:
    throttle(machine, 5)
    execution = machine.run()
    assert execution.status == "SUCCEEDED"
    requests = machine.requests()
    assert len(requests) == 6
    assert [request for request in requests if request != requests[0]] == []
    assert len(execution.events("TaskFailed")) == 5
    assert len(machine.jobs()) == 1
    assert mailbox.messages() == []


def test_a_job_whose_creation_got_no_answer_is_stopped_and_made_anew(
    machine: Machine, mailbox: Mailbox
) -> None:
    machine.admin.fault("sagemaker", "CreateTrainingJob", "after", "error")
    machine.order("hang")  # so that it is still there when it is stopped
    execution = machine.run()
    assert execution.status == "SUCCEEDED"
    assert execution.states[1:6] == ["NameJob1", "Train1", "TaskFailed", "StopJob", "WaitForEnd"]
    assert execution.states.count("NameJob1") == 2
    stray, job = machine.jobs()
    machine.until_status(stray["TrainingJobName"], "Stopped")
    assert stray["ResourceConfig"] == job["ResourceConfig"]
    assert job["TrainingJobStatus"] == "Completed"
    assert mailbox.messages() == []


def test_throttling_without_end_is_notified(machine: Machine, mailbox: Mailbox) -> None:
    throttle(machine, 6)
    assert_notified(machine, mailbox, machine.run(), "SageMaker.AmazonSageMakerException", "Rate exceeded")
    assert machine.jobs() == []
