"""Where a plan's things are found: names come from the plan, and the rest is asked of the services."""

from typing import Any

from sizewell.planning.endpoint_plan_model import EndpointPlan
from sizewell.planning.training_plan_model import TrainingJobPlan
from tests.integration.readers.common import Properties
from tests.integration.readers.compare import ordered
from tests.integration.readers.observed import observed
from tests.integration.readers.plan_foundation import Foundation

CREATE_JOB = "arn:aws:states:::sagemaker:createTrainingJob.sync"


def model_of(plan: EndpointPlan, foundation: Foundation) -> dict[str, Any]:
    """Return the model that an endpoint serves."""
    api = foundation.deployed.client("sagemaker")
    name = api.describe_endpoint(EndpointName=plan.endpoint_name)["EndpointConfigName"]
    (variant,) = api.describe_endpoint_config(EndpointConfigName=name)["ProductionVariants"]
    model: dict[str, Any] = api.describe_model(ModelName=variant["ModelName"])
    return model


def machine_of(plan: TrainingJobPlan, foundation: Foundation) -> Properties:
    """Return the state machine of a training job."""
    arn = foundation.arn("states", f"stateMachine:{plan.state_machine_name}")
    return observed(foundation.deployed, "AWS::StepFunctions::StateMachine", arn)


def schedules_of(plan: TrainingJobPlan, foundation: Foundation) -> list[Properties]:
    """Return the schedules of a training job."""
    api = foundation.deployed.client("scheduler")
    found = api.list_schedules(NamePrefix=f"{plan.stack_name}-")["Schedules"]
    machine_arn = foundation.arn("states", f"stateMachine:{plan.state_machine_name}")
    return [
        observed(foundation.deployed, "AWS::Scheduler::Schedule", schedule["Name"])
        for schedule in found
        if schedule["Target"]["Arn"] == machine_arn
    ]


def train_states(machine: Properties) -> list[Properties]:
    """Return the states that start a job, in the order in which the machine comes to them without capacity."""
    definition = machine["DefinitionString"]
    (branch,) = definition["States"]["Work"]["Branches"]
    states = branch["States"]
    names = [
        choice["Next"] for choice in states["NextAttempt"]["Choices"] if "Assign" in states[choice["Next"]]
    ]
    assert names[0] == states[branch["StartAt"]]["Default"]  # where an execution goes whose input is read
    found = [states[states[name]["Next"]] for name in names]
    assert len(found) == sum(state.get("Resource") == CREATE_JOB for state in states.values())
    return found


def flow_log_of(foundation: Foundation) -> Properties:
    """Return the one flow log of the network."""
    logs = foundation.deployed.client("ec2").describe_flow_logs()["FlowLogs"]
    (flow_log_id,) = (log["FlowLogId"] for log in logs if log["ResourceId"] == foundation.vpc_id)
    return observed(foundation.deployed, "AWS::EC2::FlowLog", flow_log_id)


def function_of(words: str, foundation: Foundation) -> dict[str, Any]:
    """Return the configuration of the function whose name holds the words."""
    api = foundation.deployed.client("lambda")
    found: dict[str, Any] = api.get_function_configuration(FunctionName=foundation.function_arn(words))
    return found


def queue_arn_of(plan: TrainingJobPlan, foundation: Foundation) -> str:
    """Return the one queue of a training job's stack."""
    api = foundation.deployed.client("sqs")
    (url,) = api.list_queues(QueueNamePrefix=f"{plan.stack_name}-")["QueueUrls"]
    return foundation.arn("sqs", url.rpartition("/")[2])


def log_groups_of(foundation: Foundation) -> list[str]:
    """Return the log groups that anything of the environment writes to."""
    plan = foundation.deployed.plan
    closing = function_of("CloseDefaultSecurity", foundation)
    return [
        *(f"/aws/sagemaker/Endpoints/{endpoint.endpoint_name}" for endpoint in plan.endpoints),
        *(f"/aws/vendedlogs/states/{job.state_machine_name}" for job in plan.training_jobs),
        closing["LoggingConfig"]["LogGroup"],
        flow_log_of(foundation)["LogGroupName"],
    ]


def alarms_of(foundation: Foundation) -> list[dict[str, Any]]:
    """Return the alarms whose names begin as all of the environment do."""
    pages = foundation.deployed.client("cloudwatch").get_paginator("describe_alarms")
    found = pages.paginate(AlarmNamePrefix=f"{foundation.plan.name_prefix}-")
    return [alarm for page in found for alarm in page["MetricAlarms"]]


def roles_of(foundation: Foundation) -> list[str]:
    """Return the ARNs of the roles whose names begin as all of the environment do."""
    pages = foundation.deployed.client("iam").get_paginator("list_roles").paginate()
    ours = f"{foundation.plan.name_prefix}-"
    return [role["Arn"] for page in pages for role in page["Roles"] if role["RoleName"].startswith(ours)]


def scaling_of(foundation: Foundation, operation: str, member: str, *left_out: str) -> list[Properties]:
    """Return what is registered for the environment's endpoints."""
    pages = foundation.deployed.client("application-autoscaling").get_paginator(operation)
    found = [item for page in pages.paginate(ServiceNamespace="sagemaker") for item in page[member]]
    ours = f"endpoint/{foundation.plan.name_prefix}-"
    return ordered(
        {name: value for name, value in item.items() if name not in ("CreationTime", *left_out)}
        for item in found
        if item["ResourceId"].startswith(ours)
    )
