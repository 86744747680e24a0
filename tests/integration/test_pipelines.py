"""A pipeline of jobs, executed: every step in its order, a gate that does not pass, a step that fails, an abort."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest

from sizewell.kinds.pipeline.plan_model import PipelinePlan
from tests.integration.executions import FAST, Json, ended, machine_arn, start
from tests.integration.harness import Admin, Cloud, Deployment, deployed_from
from tests.integration.mailbox import Mailbox, mailbox_of_alarms
from tests.integration.readers.compare import assert_reads_back
from tests.localcloud.processes import until

REPORT = "reports/orders/evaluation.json"


@pytest.fixture(scope="module")
def deployed(cloud: Cloud, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Deployment]:
    # No other file deploys an example there: what is kept when it goes would be in the way.
    with deployed_from(
        "examples/pipeline/config", "prod", cloud, tmp_path_factory.mktemp("pipeline")
    ) as found:
        yield found


@dataclass
class Machine:
    """The deployed state machine of the pipeline, and what it makes others do."""

    deployed: Deployment
    plan: PipelinePlan
    admin: Admin

    def __post_init__(self) -> None:
        self.client = self.deployed.client("stepfunctions")
        self.sagemaker = self.deployed.client("sagemaker")
        self.bucket = self.deployed.plan.foundation.artifact_bucket_name

    def start(self, **given: Any) -> str:
        return start(self.deployed, self.plan.state_machine_name, **given)

    def wait(self, arn: str) -> Json:
        return ended(self.deployed, arn)

    def judged(self, report: str | None, **given: Any) -> Json:
        """Run the pipeline, and let the evaluation write a report."""
        s3 = self.deployed.client("s3")
        s3.delete_object(Bucket=self.bucket, Key=REPORT)
        (step,) = (one for one in self.plan.runs if one.name == "evaluate")
        with self.admin.held(f"run {step.state_machine_name}-") as job:
            arn = self.start(**given)
            job.until_pause()
            if report is not None:
                s3.put_object(Bucket=self.bucket, Key=REPORT, Body=report.encode())
        return self.wait(arn)

    def jobs(self) -> list[str]:
        """Return the jobs that were asked for since the test began, by the workload that they are of."""
        requests = [
            name
            for call in self.admin.calls()
            if call["operation"].startswith("Create") and call["operation"].endswith("Job")
            for member, name in call["request"].items()
            if member.endswith("JobName")
        ]
        return [
            one.workload
            for name in requests
            for one in self.plan.runs
            if name.startswith(one.state_machine_name)
        ]

    def request(self, operation: str) -> Json:
        found: Json = [one["request"] for one in self.admin.calls() if one["operation"] == operation][-1]
        return found

    def executions(self, name: str) -> list[Json]:
        arn = machine_arn(self.deployed, name)
        found: list[Json] = self.client.list_executions(stateMachineArn=arn)["executions"]
        return found

    def versions(self) -> list[Json]:
        (group,) = (one.group_name for one in self.plan.registrations)
        found: list[Json] = self.sagemaker.list_model_packages(ModelPackageGroupName=group)[
            "ModelPackageSummaryList"
        ]
        return found


@pytest.fixture
def machine(deployed: Deployment, admin: Admin) -> Machine:
    (plan,) = (one for one in deployed.plan.workloads if isinstance(one, PipelinePlan))
    admin.set(time_scale=FAST)
    return Machine(deployed, plan, admin)


@pytest.fixture
def mailbox(deployed: Deployment) -> Iterator[Mailbox]:
    with mailbox_of_alarms(deployed) as found:
        yield found


def test_every_property_reads_back(deployed: Deployment) -> None:
    assert_reads_back(deployed)


def test_a_model_that_is_good_enough_is_registered_and_its_approval_told(
    machine: Machine, mailbox: Mailbox
) -> None:
    execution = machine.judged(
        '{"regression": {"rmse": 11.5}}', steps={"train": {"hyperparameters": {"eta": "0.3"}}}
    )
    assert execution["status"] == "SUCCEEDED", execution
    assert machine.jobs() == ["clean-orders", "train-orders", "evaluate-orders"]
    training = machine.request("CreateTrainingJob")
    assert training["HyperParameters"]["eta"] == "0.3"
    folder = f"{training['OutputDataConfig']['S3OutputPath']}{training['TrainingJobName']}/output/"
    read = {
        one["InputName"]: one["S3Input"]["S3Uri"]
        for one in machine.request("CreateProcessingJob")["ProcessingInputs"]
    }
    assert (read["model"], read["features"]) == (folder, f"s3://{machine.bucket}/features/orders/")
    version = machine.versions()[-1]
    assert version["ModelApprovalStatus"] == "PendingManualApproval"
    described = machine.sagemaker.describe_model_package(ModelPackageName=version["ModelPackageArn"])
    (container,) = described["InferenceSpecification"]["Containers"]
    assert container["ModelDataUrl"] == f"{folder}model.tar.gz"
    assert container["Image"] == machine.plan.registrations[0].image.uri
    assert described["CustomerMetadataProperties"] == {
        "ExecutionArn": execution["executionArn"],
        "TrainingJobName": training["TrainingJobName"],
        "evaluate/regression.rmse": "11.5",
    }
    (message,) = until(mailbox.messages, bool)
    assert (message["workload"], message["status"]) == ("orders-pipeline", "SUCCEEDED")
    assert json.loads(message["output"])["register"] == {"ModelPackageArn": version["ModelPackageArn"]}

    machine.sagemaker.update_model_package(
        ModelPackageArn=version["ModelPackageArn"], ModelApprovalStatus="Approved"
    )
    (message,) = until(mailbox.messages, bool)
    assert (message["workload"], message["approved"]) == ("orders-pipeline", version["ModelPackageArn"])


@pytest.mark.parametrize(
    ("report", "cause"),
    [
        ('{"regression": {"rmse": 14}}', "regression.rmse of evaluate is 14; it must be at most 12.5"),
        ('{"regression": {"mae": 1}}', "regression.rmse of evaluate is missing; it must be at most 12.5"),
        ("no JSON", f"{REPORT} of evaluate is not there, or cannot be read"),
        (None, f"{REPORT} of evaluate is not there, or cannot be read"),
    ],
)
def test_a_model_that_does_not_pass_is_not_registered(
    machine: Machine, mailbox: Mailbox, report: str | None, cause: str
) -> None:
    before = machine.versions()
    execution = machine.judged(report)
    assert (execution["status"], execution["error"]) == ("FAILED", "QualityGateNotPassed")
    assert execution["cause"].startswith(cause)
    assert machine.versions() == before
    (message,) = until(mailbox.messages, bool)
    assert (message["error"], message["cause"]) == ("QualityGateNotPassed", execution["cause"])


def test_a_step_that_fails_ends_the_run_and_is_told_once(machine: Machine, mailbox: Mailbox) -> None:
    training = machine.plan.runs[1].state_machine_name
    machine.admin.script("training", training, "failed", "AlgorithmError: out of memory")
    execution = machine.wait(machine.start())
    assert (execution["status"], execution["error"]) == ("FAILED", "StepFailed")
    assert machine.jobs() == ["clean-orders", "train-orders"]
    (message,) = until(mailbox.messages, bool)
    cause = json.loads(message["cause"])
    assert (message["workload"], cause["Step"], cause["Error"]) == (
        "orders-pipeline",
        "train",
        "TrainingFailed",
    )
    assert cause["Cause"]["Cause"] == "AlgorithmError: out of memory"
    assert cause["ExecutionArn"] in [one["executionArn"] for one in machine.executions(training)]
    assert mailbox.messages() == []


def test_an_abort_stops_the_step_that_runs_and_its_job(machine: Machine) -> None:
    training = machine.plan.runs[1].state_machine_name
    with machine.admin.held(f"run {training}-") as job:
        arn = machine.start()
        job.until_pause()
        machine.client.stop_execution(executionArn=arn)
        until(lambda: machine.executions(training)[0]["status"], lambda status: bool(status == "ABORTED"))
    assert machine.wait(arn)["status"] == "ABORTED"
    name = machine.request("CreateTrainingJob")["TrainingJobName"]
    until(
        lambda: machine.sagemaker.describe_training_job(TrainingJobName=name)["TrainingJobStatus"],
        lambda status: bool(status == "Stopped"),
    )


def test_the_plan_knows_how_long_each_machine_lets_a_run_last(machine: Machine) -> None:
    for step in machine.plan.runs:
        found = machine.client.describe_state_machine(
            stateMachineArn=machine_arn(machine.deployed, step.state_machine_name)
        )
        assert json.loads(found["definition"])["TimeoutSeconds"] == step.time_limit_s


def test_what_no_step_takes_is_refused_before_anything_runs(machine: Machine) -> None:
    execution = machine.wait(machine.start(steps={"clean": {"hyperparameters": {}}, "train": {"eta": 1}}))
    assert execution["error"] == "InputRefused"
    assert execution["cause"].endswith("for train, not with clean, eta")
    assert machine.jobs() == []
