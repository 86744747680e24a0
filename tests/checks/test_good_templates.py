"""What is allowed, up to its last value, is left alone; so is what nobody can know before the deployment."""

from typing import Any

import pytest

from sizewell.checks import check_template
from tests.checks.builders import (
    Json,
    alarm,
    blue_green,
    config,
    dimensions,
    endpoint,
    get_att,
    percent,
    resource,
    rolling,
    scalable_target,
    scaling_policy,
    schedule,
    serverless_variant,
    template,
    tracking,
    train,
    updated_by,
    variant,
)
from tests.checks.faults_of_alarms import BAND

IF: Json = {"Fn::If": ["Wanted", {"Some": "value"}, {"Ref": "AWS::NoValue"}]}
CANARY = {"Type": "CANARY", "CanarySize": percent(50), "WaitIntervalInSeconds": 3600}
LINEAR = {"Type": "LINEAR", "LinearStepSize": percent(10), "WaitIntervalInSeconds": 0}
COUNTED = {"Type": "INSTANCE_COUNT", "Value": 3}
#: A list of customized metrics is as good as a predefined one.
CUSTOMIZED = {"TargetValue": 1, "CustomizedMetricSpecification": {"MetricName": "X"}}

GOOD: dict[str, Json] = {
    "instances": template(Config=config(), Endpoint=endpoint()),
    "pools": template(
        Config=config({"VariantName": "v", "InstancePools": [{"InstanceType": "ml.g5.xlarge"}]})
    ),
    "one shadow": template(Config=config(ShadowProductionVariants=[variant(VariantName="shadow")])),
    "two variants on instances": template(Config=config(variant(), variant(VariantName="other"))),
    "capture on instances": template(Config=config(DataCaptureConfig={"EnableCapture": True})),
    "serverless": template(Config=config(serverless_variant()), Endpoint=endpoint()),
    "smallest serverless": template(Config=config(serverless_variant(MemorySizeInMB=1024, MaxConcurrency=1))),
    "largest serverless": template(
        Config=config(serverless_variant(MemorySizeInMB=6144, MaxConcurrency=200, ProvisionedConcurrency=200))
    ),
    "capture switched off": template(
        Config=config(serverless_variant(), DataCaptureConfig={"EnableCapture": False})
    ),
    "perhaps serverless": template(Config=config(variant(ServerlessConfig=IF))),
    "perhaps instances": template(Config=config({"VariantName": "v", "InstanceType": IF})),
    "perhaps a VPC": template(Config=config(serverless_variant(), VpcConfig=IF)),
    "two subnets": template(
        Config=config(variant(ModelName=get_att("Model", "ModelName"))),
        Model=resource("SageMaker::Model", VpcConfig={"Subnets": ["subnet-1", "subnet-2"]}),
    ),
    "subnets of a parameter": template(
        Config=config(variant(ModelName=get_att("Model", "ModelName"))),
        Model=resource("SageMaker::Model", VpcConfig={"Subnets": {"Ref": "SubnetIds"}}),
    ),
    "one subnet of a model that no endpoint serves": template(
        Model=resource("SageMaker::Model", VpcConfig={"Subnets": ["subnet-1"]})
    ),
    "perhaps a variant": template(Config=config(serverless_variant(), IF), Alarm=alarm()),
    "one instance, fixed": template(Target=scalable_target(MinCapacity=1, MaxCapacity=1)),
    "another service": template(
        Target=scalable_target(ScalableDimension="ecs:service:DesiredCount", ServiceNamespace="ecs"),
        Policy=scaling_policy(
            TargetTrackingScalingPolicyConfiguration=tracking("ECSServiceAverageCPUUtilization")
        ),
    ),
    "trn begins with t": template(
        Config=config(variant(InstanceType="ml.trn1.2xlarge")),
        Endpoint=endpoint(),
        Target=scalable_target(),
        Policy=scaling_policy(),
    ),
    "burstable, not scaled": template(
        Config=config(variant(InstanceType="ml.t3.large")), Endpoint=endpoint()
    ),
    "a customized metric": template(
        Target=scalable_target(),
        Policy=scaling_policy(TargetTrackingScalingPolicyConfiguration=CUSTOMIZED),
    ),
    "perhaps steps": template(
        Target=scalable_target(), Policy=scaling_policy(StepScalingPolicyConfiguration=IF)
    ),
    "canary of half the fleet": updated_by(**blue_green(CANARY, MaximumExecutionTimeoutInSeconds=28_800)),
    "linear in tenths": updated_by(**blue_green(LINEAR, MaximumExecutionTimeoutInSeconds=600)),
    "canary of instances": updated_by(**blue_green(CANARY | {"CanarySize": COUNTED})),
    "rolling": updated_by(**rolling(MaximumBatchSize=percent(5), RollbackMaximumBatchSize=percent(100))),
    "rolling by halves": updated_by(**rolling(MaximumBatchSize=percent(50))),
    "perhaps rolling": updated_by(
        **blue_green(CANARY), RollingUpdatePolicy={"Fn::If": ["Wanted", rolling(), {"Ref": "AWS::NoValue"}]}
    ),
    "alarm": template(Config=config(), Endpoint=endpoint(), Alarm=alarm()),
    "alarm at zero": template(Alarm=alarm(Threshold=0)),
    "alarm, perhaps with a threshold": template(Alarm=alarm(Threshold=IF)),
    "alarm on a band": template(Alarm=alarm(**BAND | {"ThresholdMetricId": "band"})),
    "alarm on a query": template(
        Alarm=resource("CloudWatch::Alarm", EvaluationCriteria={"PromQLCriteria": {"Query": "up > 0"}})
    ),
    "alarm on a component": template(Alarm=alarm(Dimensions=dimensions(InferenceComponentName="component"))),
    "alarm on a container": template(
        Alarm=alarm(Dimensions=dimensions(EndpointName="e", VariantName="v", ContainerName="c"))
    ),
    "alarm on a backlog": template(
        Alarm=alarm(MetricName="ApproximateBacklogSize", Dimensions=dimensions(EndpointName="e"))
    ),
    "alarm on another metric of SageMaker": template(
        Alarm=alarm(MetricName="ExecutionFailed", Dimensions=dimensions(PipelineName="p"))
    ),
    "alarm on another service": template(Alarm=alarm(Namespace="AWS/SQS", Dimensions=None)),
    "alarm on an unknown variant": template(
        Config=config(),
        Endpoint=endpoint(),
        Alarm=alarm(Dimensions=dimensions(EndpointName="demo", VariantName=IF)),
    ),
    "on demand": template(
        Machine=train(
            EnableManagedSpotTraining=False,
            CheckpointConfig=None,
            StoppingCondition={"MaxRuntimeInSeconds": 28 * 24 * 3600},
            ResourceConfig={"InstanceType": "ml.g5.xlarge", "KeepAlivePeriodInSeconds": 3600},
        )
    ),
    "a wait as long as the run": template(
        Machine=train(StoppingCondition={"MaxRuntimeInSeconds": 60, "MaxWaitTimeInSeconds": 60})
    ),
    "Spot, decided in the execution": template(
        Machine=train(EnableManagedSpotTraining="{% $states.input.spot %}", CheckpointConfig=None)
    ),
    "checkpoint from the input": template(
        Machine=train(CheckpointConfig=None, **{"CheckpointConfig.$": "$.Checkpoint"})
    ),
    "wait from the input": template(
        Machine=train(StoppingCondition={"MaxRuntimeInSeconds": 60, "MaxWaitTimeInSeconds.$": "$.Wait"})
    ),
    "a name that is made at deployment": template(
        Model=resource("SageMaker::Model", ModelName={"Fn::Sub": "${Suffix}-model"}),
        Config=config(EndpointConfigName=get_att("Namer", "Name")),
    ),
    "no resources": {},
}


@pytest.mark.parametrize("name", GOOD)
def test_nothing_is_found(name: str) -> None:
    assert check_template(GOOD[name]) == ()


@pytest.mark.parametrize(
    "expression",
    [
        "cron(0 3 ? * SUN *)",
        "cron(*/15 8-18 L * ? 2027-2030)",
        "cron(0 10 ? JAN,feb 6#3 *)",
        "cron(0 0 1W 1/3 ? *)",
        "rate(1 hour)",
        "rate(15 minutes)",
        "at(2027-01-31T03:00:00)",
        {"Ref": "Expression"},
        {"Fn::Sub": "cron(${Minute} 3 ? * SUN *)"},
    ],
)
def test_schedule_is_left_alone(expression: Any) -> None:
    assert check_template(template(Schedule=schedule(expression))) == ()
