"""What else a stack may have: schedules, state machines, functions, notebooks, services of ECS, AWS Batch, roles of pods."""

from typing import Any

import pytest

from sizewell.account.after.batch import BATCH
from sizewell.account.after.eks import EKS
from sizewell.account.after.functions import FUNCTIONS
from sizewell.account.after.notebooks import NOTEBOOKS
from sizewell.account.after.schedules import SCHEDULES
from sizewell.account.after.services import SERVICES
from sizewell.account.after.state_machines import STATE_MACHINES
from sizewell.account.check import Check
from tests.account.after.deployed import Resource, found
from tests.account.builders import Refusal

ACCOUNT = "us-east-1:111122223333"
SCHEDULE = ("AWS::Scheduler::Schedule", "nightly", {"State": "ENABLED", "ScheduleExpression": "rate(1 day)"})
RULE = ("AWS::Events::Rule", "reminder", {"State": {"Fn::If": ["On", "DISABLED", "ENABLED"]}})
FAILURES = ("AWS::Events::Rule", "failures", {"EventPattern": {"source": ["aws.states"]}})
MACHINE: Resource = ("AWS::StepFunctions::StateMachine", f"arn:aws:states:{ACCOUNT}:stateMachine:train", {})
FUNCTION = ("AWS::Lambda::Function", "embed", {"MemorySize": 2048})
ALIAS = (
    "AWS::Lambda::Alias",
    f"arn:aws:lambda:{ACCOUNT}:function:embed:live",
    {"Name": "live", "ProvisionedConcurrencyConfig": {"ProvisionedConcurrentExecutions": 3}},
)
NOTEBOOK = (
    "AWS::SageMaker::NotebookInstance",
    f"arn:aws:sagemaker:{ACCOUNT}:notebook-instance/lab",
    {"InstanceType": "ml.t3.medium"},
)
SERVICE: Resource = ("AWS::ECS::Service", f"arn:aws:ecs:{ACCOUNT}:service/web/chat", {})
ENVIRONMENT: Resource = (
    "AWS::Batch::ComputeEnvironment",
    f"arn:aws:batch:{ACCOUNT}:compute-environment/spot",
    {},
)
QUEUE: Resource = ("AWS::Batch::JobQueue", f"arn:aws:batch:{ACCOUNT}:job-queue/spot", {})
ASSOCIATION = (
    "AWS::EKS::PodIdentityAssociation",
    "a-1",
    {"ClusterName": "ml", "Namespace": "demo", "ServiceAccount": "chat"},
)
NODE_GROUP = ("AWS::EKS::Nodegroup", "ml/chat", {"ClusterName": "ml"})


def schedule(**changes: Any) -> Any:
    return "get_schedule", {
        "Name": "nightly",
        "State": "ENABLED",
        "ScheduleExpression": "rate(1 day)",
        **changes,
    }


def machine(*statuses: str) -> list[Any]:
    runs = [
        {
            "executionArn": "arn",
            "stateMachineArn": MACHINE[1],
            "name": "night",
            "status": status,
            "startDate": 0,
        }
        for status in statuses
    ]
    described = {
        "stateMachineArn": MACHINE[1],
        "name": "train",
        "type": "STANDARD",
        "status": "ACTIVE",
        "definition": "{}",
        "roleArn": "r",
        "creationDate": 0,
    }
    return [("describe_state_machine", described), ("list_executions", {"executions": runs})]


def function(**changes: Any) -> Any:
    return "get_function_configuration", {
        "State": "Active",
        "LastUpdateStatus": "Successful",
        "MemorySize": 2048,
        **changes,
    }


def warm(status: str) -> Any:
    return "get_provisioned_concurrency_config", {
        "Status": status,
        "RequestedProvisionedConcurrentExecutions": 3,
        "AvailableProvisionedConcurrentExecutions": 1,
    }


def notebook(status: str, instance_type: str = "ml.t3.medium") -> Any:
    return "describe_notebook_instance", {
        "NotebookInstanceStatus": status,
        "InstanceType": instance_type,
        "FailureReason": "no subnet",
    }


def service(running: int, rollout: str) -> Any:
    deployment = {"status": "PRIMARY", "rolloutState": rollout, "rolloutStateReason": "tasks stop"}
    described = {
        "serviceName": "chat",
        "status": "ACTIVE",
        "runningCount": running,
        "desiredCount": 2,
        "deployments": [deployment],
    }
    return "describe_services", {"services": [described]}


def compute(status: str, state: str = "ENABLED") -> Any:
    described = {
        "computeEnvironmentName": "spot",
        "computeEnvironmentArn": ENVIRONMENT[1],
        "status": status,
        "state": state,
    }
    return "describe_compute_environments", {"computeEnvironments": [described]}


def queue(state: str) -> Any:
    described = {
        "jobQueueName": "spot",
        "jobQueueArn": QUEUE[1],
        "state": state,
        "status": "VALID",
        "priority": 1,
        "computeEnvironmentOrder": [],
    }
    return "describe_job_queues", {"jobQueues": [described]}


def node_group(status: str, *issues: str) -> Any:
    health = {"issues": [{"code": issue, "message": "m"} for issue in issues]}
    return "describe_nodegroup", {"nodegroup": {"status": status, "health": health}}


GONE = Refusal("ResourceNotFoundException")
CASES: list[tuple[Check, Any, str, list[Any], tuple[str, str] | None]] = [
    (SCHEDULES, SCHEDULE, "scheduler", [schedule()], ("pass", "ENABLED, rate(1 day), UTC")),
    (SCHEDULES, SCHEDULE, "scheduler", [schedule(State="DISABLED")], ("fail", "DISABLED, planned ENABLED")),
    (
        SCHEDULES,
        SCHEDULE,
        "scheduler",
        [schedule(ScheduleExpression="rate(1 hour)")],
        ("fail", "starts at rate(1 hour), planned rate(1 day)"),
    ),
    (SCHEDULES, SCHEDULE, "scheduler", [("get_schedule", GONE)], ("fail", "it is not there: nothing starts")),
    (SCHEDULES, RULE, "events", [("describe_rule", {"State": "DISABLED"})], None),
    (SCHEDULES, FAILURES, "events", [("describe_rule", {"State": "ENABLED"})], None),
    (
        SCHEDULES,
        FAILURES,
        "events",
        [("describe_rule", {"State": "DISABLED"})],
        ("fail", "DISABLED, planned ENABLED"),
    ),
    (STATE_MACHINES, MACHINE, "stepfunctions", machine(), ("pass", "ACTIVE, no execution yet")),
    (STATE_MACHINES, MACHINE, "stepfunctions", machine("RUNNING"), ("pass", "the last execution is RUNNING")),
    (
        STATE_MACHINES,
        MACHINE,
        "stepfunctions",
        machine("FAILED"),
        ("warn", "the last execution night is FAILED"),
    ),
    (
        STATE_MACHINES,
        MACHINE,
        "stepfunctions",
        [("describe_state_machine", Refusal("StateMachineDoesNotExist"))],
        ("fail", "there is no such state machine"),
    ),
    (FUNCTIONS, FUNCTION, "lambda", [function()], ("pass", "Active, 2048 MB")),
    (FUNCTIONS, FUNCTION, "lambda", [function(MemorySize=128)], ("fail", "128 MB, planned 2048 MB")),
    (
        FUNCTIONS,
        FUNCTION,
        "lambda",
        [function(State="Failed", StateReason="no image")],
        ("fail", "Failed: no image"),
    ),
    (
        FUNCTIONS,
        FUNCTION,
        "lambda",
        [function(LastUpdateStatus="Failed", LastUpdateStatusReason="no image")],
        ("fail", "its last update failed: no image"),
    ),
    (FUNCTIONS, FUNCTION, "lambda", [("get_function_configuration", GONE)], ("fail", "it is not there")),
    (FUNCTIONS, ALIAS, "lambda", [warm("READY")], ("pass", "1 warm workers")),
    (FUNCTIONS, ALIAS, "lambda", [warm("IN_PROGRESS")], ("warn", "1 of 3 workers are warm")),
    (FUNCTIONS, ALIAS, "lambda", [warm("FAILED")], ("fail", "its workers are not warm: ")),
    (NOTEBOOKS, NOTEBOOK, "sagemaker", [notebook("Stopped")], ("pass", "Stopped, ml.t3.medium")),
    (NOTEBOOKS, NOTEBOOK, "sagemaker", [notebook("Failed")], ("fail", "Failed: no subnet")),
    (
        NOTEBOOKS,
        NOTEBOOK,
        "sagemaker",
        [notebook("InService", "ml.m5.large")],
        ("fail", "ml.m5.large, planned ml.t3.medium"),
    ),
    (SERVICES, SERVICE, "ecs", [service(2, "COMPLETED")], ("pass", "2 of 2 tasks run")),
    (SERVICES, SERVICE, "ecs", [service(1, "COMPLETED")], ("fail", "1 of 2 tasks run")),
    (SERVICES, SERVICE, "ecs", [service(2, "FAILED")], ("fail", "its last deployment failed: tasks stop")),
    (
        SERVICES,
        SERVICE,
        "ecs",
        [service(1, "IN_PROGRESS")],
        ("warn", "a deployment goes on; 1 of 2 tasks run"),
    ),
    (
        SERVICES,
        SERVICE,
        "ecs",
        [("describe_services", {"services": []})],
        ("fail", "the cluster web has no such service"),
    ),
    (BATCH, ENVIRONMENT, "batch", [compute("VALID")], ("pass", "VALID, ENABLED")),
    (BATCH, ENVIRONMENT, "batch", [compute("INVALID")], ("fail", "INVALID, ENABLED: no job starts")),
    (BATCH, QUEUE, "batch", [queue("DISABLED")], ("fail", "VALID, DISABLED: no job starts")),
    (
        EKS,
        ASSOCIATION,
        "eks",
        [("list_pod_identity_associations", {"associations": [{"associationId": "a-1"}]})],
        ("pass", "its pods have their role"),
    ),
    (
        EKS,
        ASSOCIATION,
        "eks",
        [("list_pod_identity_associations", {"associations": []})],
        ("fail", "no role is associated: its pods may read nothing"),
    ),
    (EKS, NODE_GROUP, "eks", [node_group("ACTIVE")], ("pass", "ACTIVE")),
    (
        EKS,
        NODE_GROUP,
        "eks",
        [node_group("ACTIVE", "AsgInstanceLaunchFailures")],
        ("fail", "ACTIVE: AsgInstanceLaunchFailures: m"),
    ),
    (EKS, NODE_GROUP, "eks", [node_group("DEGRADED")], ("fail", "DEGRADED")),
    (EKS, NODE_GROUP, "eks", [("describe_nodegroup", GONE)], ("fail", "it is not there, or its cluster")),
]


@pytest.mark.parametrize(("check", "resource", "service_name", "answers", "expected"), CASES)
def test_a_resource_is_as_its_template_states(
    check: Check, resource: Any, service_name: str, answers: list[Any], expected: tuple[str, str] | None
) -> None:
    told = found(check, {"One": resource}, {service_name: answers})

    assert [(outcome, says) for _, outcome, says in told] == ([expected] if expected else [])
