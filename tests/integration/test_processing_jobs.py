"""The state machines of processing jobs, executed: the first type that has capacity, failures, and the deadline."""

import json
from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from sizewell.kinds.processing_job.plan_model import ProcessingJobPlan
from tests.integration.executions import FAST, Json, ended, start
from tests.integration.harness import Admin, Cloud, Deployment, deployed_from
from tests.integration.readers.compare import assert_reads_back
from tests.localcloud.processes import until


@pytest.fixture(scope="module")
def deployed(cloud: Cloud, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Deployment]:
    folder = tmp_path_factory.mktemp("processing")
    with deployed_from("examples/processing-job/config", "staging", cloud, folder) as found:
        yield found


@dataclass
class Machine:
    """The deployed state machine of one workload."""

    deployed: Deployment
    plan: ProcessingJobPlan
    admin: Admin

    def run(self) -> Json:
        """Start an execution and return how it ended."""
        return ended(self.deployed, start(self.deployed, self.plan.state_machine_name))

    def requests(self, operation: str = "CreateProcessingJob") -> list[Json]:
        return [call["request"] for call in self.admin.calls() if call["operation"] == operation]

    def clusters(self) -> list[Json]:
        return [one["ProcessingResources"]["ClusterConfig"] for one in self.requests()]


@pytest.fixture(params=["clean-orders", "compile-classifier"])
def machine(request: pytest.FixtureRequest, deployed: Deployment, admin: Admin) -> Machine:
    (plan,) = (one for one in deployed.plan.of(ProcessingJobPlan) if one.name == request.param)
    admin.set(time_scale=FAST)
    return Machine(deployed, plan, admin)


def test_every_property_reads_back(deployed: Deployment) -> None:
    assert_reads_back(deployed)


def test_success_with_the_request_of_the_plan(machine: Machine) -> None:
    plan, foundation = machine.plan, machine.deployed.plan.foundation
    execution = machine.run()
    assert execution["status"] == "SUCCEEDED"
    assert json.loads(execution["output"])["UsdOfInstances"] == 0  # a moment of a local cloud
    (request,) = machine.requests()
    # Some seconds may have passed since the start of the execution.
    assert 0 <= plan.deadline_s - request["StoppingCondition"]["MaxRuntimeInSeconds"] < 600
    bucket = f"s3://{foundation.artifact_bucket_name}"
    assert request["AppSpecification"]["ImageUri"] == plan.image.uri
    assert request.get("Environment", {}) == plan.environment
    assert {one["InputName"]: one["S3Input"]["S3Uri"] for one in request["ProcessingInputs"]} == {
        **{name: f"{bucket}/{one.prefix}/" for name, one in plan.inputs.items()},
        "code": f"{bucket}/{plan.code.prefix}/" if plan.code else "",
    }
    outputs = request["ProcessingOutputConfig"]["Outputs"]
    assert {one["OutputName"]: one["S3Output"]["S3Uri"] for one in outputs} == {
        name: f"{bucket}/{one.prefix}/" for name, one in plan.outputs.items()
    }
    assert {tag["Key"]: tag["Value"] for tag in request["Tags"]} == plan.job_tags
    # The subnets came through one placeholder.
    assert len(request["NetworkConfig"]["VpcConfig"]["Subnets"]) == 2


def test_no_capacity_leads_to_the_next_instance_type(machine: Machine) -> None:
    machine.admin.script("processing", machine.plan.job_name_prefix, "capacity")
    assert machine.run()["status"] == "SUCCEEDED"
    asked = [(one["InstanceType"], one["InstanceCount"]) for one in machine.clusters()]
    assert asked == [(one.instance_type, one.instance_count) for one in machine.plan.attempts[:2]]


def test_a_job_that_never_ends_is_stopped_at_its_deadline(machine: Machine) -> None:
    machine.admin.script("processing", machine.plan.job_name_prefix, "hang")
    assert json.loads(machine.run()["cause"])["Error"] == "DeadlineExceeded"
    assert len(machine.requests("StopProcessingJob")) == len(machine.requests()) == 1


def test_an_object_that_arrives_starts_a_run_and_others_start_none(
    deployed: Deployment, admin: Admin
) -> None:
    (plan,) = (one for one in deployed.plan.of(ProcessingJobPlan) if one.starts_on is not None)
    assert plan.starts_on is not None
    assert plan.starts_on.object_key is not None
    admin.set(time_scale=FAST)
    states, s3, whole = deployed.client("stepfunctions"), deployed.client("s3"), deployed.plan
    arn = f"arn:aws:states:{whole.region}:{whole.account}:stateMachine:{plan.state_machine_name}"

    def executions() -> set[str]:
        return {one["executionArn"] for one in states.list_executions(stateMachineArn=arn)["executions"]}

    before = executions()
    for key in ("orders/today/part-1.csv", plan.starts_on.object_key):
        s3.put_object(Bucket=whole.foundation.artifact_bucket_name, Key=key, Body=b"")
    (started,) = until(lambda: executions() - before, bool)
    ended: Json = until(
        lambda: states.describe_execution(executionArn=started), lambda e: bool(e["status"] != "RUNNING")
    )
    assert (ended["status"], ended["input"]) == ("SUCCEEDED", "{}")
    assert executions() - before == {started}
