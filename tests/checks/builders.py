"""Small templates without a fault; a test changes what it is about."""

import json
from typing import Any

Json = dict[str, Any]


def template(**resources: Json) -> Json:
    return {"Resources": resources}


def resource(kind: str, **properties: Any) -> Json:
    return {"Type": f"AWS::{kind}", "Properties": properties}


def get_att(logical_id: str, attribute: str) -> Json:
    return {"Fn::GetAtt": [logical_id, attribute]}


def variant(**changes: Any) -> Json:
    default = {"VariantName": "primary", "InstanceType": "ml.g5.xlarge", "InitialInstanceCount": 1}
    return {**default, **changes}


def serverless_variant(*, remove: str = "", **limits: Any) -> Json:
    config = {"MemorySizeInMB": 4096, "MaxConcurrency": 20, **limits}
    config.pop(remove, None)
    return {"VariantName": "primary", "ModelName": get_att("Model", "ModelName"), "ServerlessConfig": config}


def config(*variants: Json, **properties: Any) -> Json:
    return resource(
        "SageMaker::EndpointConfig", ProductionVariants=list(variants or (variant(),)), **properties
    )


def endpoint(**properties: Any) -> Json:
    return resource(
        "SageMaker::Endpoint",
        EndpointName="demo",
        EndpointConfigName=get_att("Config", "EndpointConfigName"),
        **properties,
    )


def updated_by(**deployment: Any) -> Json:
    """Return a template whose endpoint is updated in a certain way."""
    return template(Config=config(), Endpoint=endpoint(DeploymentConfig=deployment))


def percent(value: Any) -> Json:
    return {"Type": "CAPACITY_PERCENT", "Value": value}


def blue_green(routing: Json, **policy: Any) -> Json:
    return {"BlueGreenUpdatePolicy": {"TrafficRoutingConfiguration": routing, **policy}}


def rolling(**policy: Any) -> Json:
    return {"RollingUpdatePolicy": {"MaximumBatchSize": percent(25), "WaitIntervalInSeconds": 60, **policy}}


def scalable_target(**changes: Any) -> Json:
    default = {
        "ServiceNamespace": "sagemaker",
        "ScalableDimension": "sagemaker:variant:DesiredInstanceCount",
        "ResourceId": "endpoint/demo/variant/primary",
        "MinCapacity": 1,
        "MaxCapacity": 4,
    }
    return resource("ApplicationAutoScaling::ScalableTarget", **{**default, **changes})


def tracking(metric: str = "SageMakerVariantInvocationsPerInstance") -> Json:
    return {"TargetValue": 70, "PredefinedMetricSpecification": {"PredefinedMetricType": metric}}


def scaling_policy(**changes: Any) -> Json:
    default = {
        "PolicyName": "track",
        "PolicyType": "TargetTrackingScaling",
        "ScalingTargetId": {"Ref": "Target"},
        "TargetTrackingScalingPolicyConfiguration": tracking(),
    }
    whole = {**default, **changes}
    return resource(
        "ApplicationAutoScaling::ScalingPolicy",
        **{key: value for key, value in whole.items() if value is not None},
    )


def dimensions(**values: Any) -> list[Json]:
    return [{"Name": name, "Value": value} for name, value in values.items()]


def alarm(**changes: Any) -> Json:
    default = {
        "Namespace": "AWS/SageMaker",
        "MetricName": "Invocations",
        "Dimensions": dimensions(EndpointName="demo", VariantName="primary"),
        "ComparisonOperator": "GreaterThanThreshold",
        "EvaluationPeriods": 1,
        "Statistic": "Sum",
        "Period": 60,
        "Threshold": 1,
    }
    whole = {**default, **changes}
    return resource("CloudWatch::Alarm", **{key: value for key, value in whole.items() if value is not None})


def schedule(expression: Any) -> Json:
    return resource("Scheduler::Schedule", ScheduleExpression=expression)


def machine(definition: Any, **properties: Any) -> Json:
    text = json.dumps(definition) if isinstance(definition, dict) else definition
    return resource("StepFunctions::StateMachine", DefinitionString=text, **properties)


def states(start: str = "First", **states_: Json) -> Json:
    return {"StartAt": start, "States": states_}


def train(**body: Any) -> Json:
    """Return a machine with one training task; None takes a member of its request away."""
    return _task("createTrainingJob", {"TrainingJobName.$": "$.Name", **_training(**body)})


def tune(**body: Any) -> Json:
    """Return the same for a tuning task, whose trainings have this request."""
    return _task("createHyperParameterTuningJob", {"TrainingJobDefinition": _training(**body)})


def _training(**body: Any) -> Json:
    default = {
        "ResourceConfig": {"InstanceType": "ml.g5.xlarge", "InstanceCount": 1},
        "StoppingCondition": {"MaxRuntimeInSeconds": 3600, "MaxWaitTimeInSeconds": 7200},
        "EnableManagedSpotTraining": True,
        "CheckpointConfig": {"S3Uri": "s3://bucket/prefix/"},
        "RetryStrategy": {"MaximumRetryAttempts": 2},
    }
    return {key: value for key, value in {**default, **body}.items() if value is not None}


def _task(action: str, request: Json) -> Json:
    task = {
        "Type": "Task",
        "Resource": f"arn:${{AWS::Partition}}:states:::sagemaker:{action}.sync",
        "Parameters": request,
        "End": True,
    }
    written = {"Fn::Sub": json.dumps(states("Train", Train=task))}
    return resource("StepFunctions::StateMachine", DefinitionString=written)
