"""Endpoints and their deployments, held in their pauses where a test looks or acts meanwhile."""

import json
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from botocore.exceptions import ClientError

from tests.integration.emulator.lab import (
    ACCOUNT,
    REGION,
    Json,
    Lab,
    blue_green,
    put_alarm,
    refusal,
    target_of,
)
from tests.integration.harness import Admin
from tests.localcloud.processes import until

pytestmark = pytest.mark.usefixtures("admin")


def rolling(percent: int, wait_s: int = 0, back: int = 100) -> Json:
    size = {"Type": "CAPACITY_PERCENT"}
    policy = {
        "MaximumBatchSize": {**size, "Value": percent},
        "RollbackMaximumBatchSize": {**size, "Value": back},
        "WaitIntervalInSeconds": wait_s,
    }
    return {"RollingUpdatePolicy": policy}


def test_an_endpoint_is_created_updated_and_deleted(lab: Lab, admin: Admin) -> None:
    first, second, name = lab.config(), lab.config(), lab.name("endpoint")
    sagemaker = lab("sagemaker")
    with admin.held(f"create {name}"):
        sagemaker.create_endpoint(EndpointName=name, EndpointConfigName=first)
        assert "ProductionVariants" not in lab.describe(name)
    assert lab.passed(name) == ["Creating", "InService"]
    with admin.held(f"update {name}"):
        sagemaker.update_endpoint(EndpointName=name, EndpointConfigName=second)
        assert lab.describe(name)["EndpointConfigName"] == first
    assert lab.passed(name) == ["Updating", "InService"]
    assert lab.describe(name)["EndpointConfigName"] == second
    sagemaker.delete_endpoint(EndpointName=name)
    assert lab.passed(name) == ["Deleting", "(gone)"]


def test_an_endpoint_that_fails_to_start(lab: Lab, admin: Admin) -> None:
    name = lab.name("endpoint")
    sagemaker = lab("sagemaker")
    admin.script("endpoint", name, "fail", "The image does not start")
    sagemaker.create_endpoint(EndpointName=name, EndpointConfigName=lab.config())
    assert lab.passed(name) == ["Creating", "Failed"]
    assert lab.describe(name)["FailureReason"] == "The image does not start"
    said = refusal(sagemaker.update_endpoint, EndpointName=name, EndpointConfigName=lab.config())
    assert "Cannot update failed endpoint" in said
    sagemaker.delete_endpoint(EndpointName=name)


def test_an_update_that_fails_is_rolled_back(lab: Lab, admin: Admin) -> None:
    first = lab.config()
    name = lab.endpoint(first)
    admin.script("endpoint", name, "fail", "The new model does not load")
    lab("sagemaker").update_endpoint(EndpointName=name, EndpointConfigName=lab.config())
    assert lab.passed(name) == ["Updating", "RollingBack", "InService"]
    endpoint = lab.describe(name)
    assert (endpoint["EndpointConfigName"], endpoint["FailureReason"]) == (
        first,
        "The new model does not load",
    )


def test_nothing_begins_while_an_operation_runs(lab: Lab, admin: Admin) -> None:
    name, other, fresh = lab.endpoint(), lab.config(), lab.name("endpoint")
    sagemaker = lab("sagemaker")
    busy = f'ValidationException: Cannot update in-progress endpoint "arn:aws:sagemaker:{REGION}:{ACCOUNT}:endpoint/'
    with admin.held(f"create {fresh}"):
        sagemaker.create_endpoint(EndpointName=fresh, EndpointConfigName=other)
        assert refusal(sagemaker.delete_endpoint, EndpointName=fresh).startswith(busy)
        assert "not in service" in refusal(
            lab("application-autoscaling").register_scalable_target,
            **target_of(fresh),
            MinCapacity=1,
            MaxCapacity=2,
        )
    with admin.held(f"update {name}"):
        sagemaker.update_endpoint(EndpointName=name, EndpointConfigName=other)
        for call, request in (
            (sagemaker.update_endpoint, {"EndpointConfigName": other}),
            (
                sagemaker.update_endpoint_weights_and_capacities,
                {"DesiredWeightsAndCapacities": [{"VariantName": "main"}]},
            ),
            (sagemaker.delete_endpoint, {}),
        ):
            assert refusal(call, EndpointName=name, **request).startswith(busy)


@pytest.mark.parametrize(
    "deployment",
    [
        # No step is before another: the old fleet stays for the only bake.
        pytest.param(blue_green("ALL_AT_ONCE", wait_s=900, last_wait_s=60), id="all at once"),
        pytest.param(blue_green("CANARY", wait_s=40, last_wait_s=20, CanarySize=10), id="canary"),
        pytest.param(blue_green("LINEAR", wait_s=15, last_wait_s=15, LinearStepSize=25), id="linear"),
        pytest.param(rolling(25, wait_s=15), id="rolling"),
    ],
)
def test_a_deployment_bakes_after_each_step(lab: Lab, admin: Admin, deployment: Json) -> None:
    name, wanted = lab.endpoint(), lab.config()
    passed_s = {"Creating": 0.0, "Baking": 0.0}
    with admin.held(f"update {name}") as update:
        lab("sagemaker").update_endpoint(
            EndpointName=name, EndpointConfigName=wanted, DeploymentConfig=deployment
        )
        while passed_s["Baking"] < 60:
            pause_s = update.until_pause()
            summary = lab.describe(name)["PendingDeploymentSummary"]
            assert summary["EndpointConfigName"] == wanted
            (status,) = (variant["VariantStatus"][0]["Status"] for variant in summary["ProductionVariants"])
            passed_s[status] += pause_s
            update.end_pause()
        # While it is held: it pauses no more.
        assert lab.passed(name) == ["Updating", "InService"]
    assert passed_s == {"Creating": 240, "Baking": 60}
    assert lab.describe(name)["LastDeploymentConfig"] == deployment


def test_an_alarm_calls_a_deployment_back(lab: Lab, admin: Admin) -> None:
    first, alarm, cloudwatch = lab.config(), lab.name("alarm"), lab("cloudwatch")
    name = lab.endpoint(first)
    put_alarm(lab, alarm)
    with admin.held(f"update {name}") as update:
        lab("sagemaker").update_endpoint(
            EndpointName=name,
            EndpointConfigName=lab.config(),
            DeploymentConfig=blue_green("CANARY", wait_s=3600, CanarySize=10, alarm=alarm),
        )
        update.until_pause()
        update.end_pause()
        update.until_pause()
        endpoint = lab.describe(name)
        (variant,) = endpoint["PendingDeploymentSummary"]["ProductionVariants"]
        assert (endpoint["EndpointStatus"], variant["VariantStatus"][0]["Status"]) == ("Updating", "Baking")
        cloudwatch.set_alarm_state(AlarmName=alarm, StateValue="ALARM", StateReason="a test")
    assert lab.passed(name) == ["Updating", "RollingBack", "InService"]
    endpoint = lab.describe(name)
    assert endpoint["EndpointConfigName"] == first
    assert f"Alarm {alarm} went off" in endpoint["FailureReason"]


@pytest.mark.parametrize(
    ("deployment", "message"),
    [
        (blue_green("CANARY", CanarySize=60), "CanarySize must be 1 to 50 percent of the capacity, got 60"),
        (blue_green("CANARY"), "Traffic routing of type CANARY needs CanarySize"),
        (
            blue_green("LINEAR", LinearStepSize=5),
            "LinearStepSize must be 10 to 50 percent of the capacity, got 5",
        ),
        (rolling(60), "MaximumBatchSize must be 5 to 50 percent of the capacity, got 60"),
        (
            rolling(50, back=4),
            "RollbackMaximumBatchSize must be 5 to 100 percent of the capacity, got 4",
        ),
        (rolling(50) | blue_green("ALL_AT_ONCE"), "cannot both be specified"),
    ],
)
def test_deployment_configurations_that_the_guardrails_exclude(
    lab: Lab, deployment: Json, message: str
) -> None:
    said = refusal(
        lab("sagemaker").update_endpoint,
        EndpointName=lab.endpoint(),
        EndpointConfigName=lab.config(),
        DeploymentConfig=deployment,
    )
    assert message in said


def test_deployment_policies_keep_the_variants(lab: Lab) -> None:
    update = lab("sagemaker").update_endpoint
    renamed = lab.config(lab.variant(VariantName="renamed"))
    two = lab.config(lab.variant(), lab.variant(VariantName="other"))
    serverless = lab.config(lab.serverless())
    for current, wanted, deployment, message in (
        (lab.config(), renamed, blue_green("ALL_AT_ONCE"), "must keep the variant names"),
        (two, two, rolling(50), "not supported for endpoints with several variants"),
        (serverless, serverless, rolling(50), "not supported for serverless endpoints"),
    ):
        said = refusal(
            update, EndpointName=lab.endpoint(current), EndpointConfigName=wanted, DeploymentConfig=deployment
        )
        assert message in said


def test_of_two_operations_at_once_one_is_refused(lab: Lab, admin: Admin) -> None:
    name, wanted = lab.endpoint(), lab.config()
    sagemaker = lab("sagemaker")

    def said(_: int) -> str:
        try:
            sagemaker.update_endpoint(EndpointName=name, EndpointConfigName=wanted)
        except ClientError as error:
            return str(error)
        return "accepted"

    with admin.held(f"update {name}"), ThreadPoolExecutor(8) as pool:
        answers = sorted(pool.map(said, range(8)))
    assert answers.pop() == "accepted"
    assert all("Cannot update in-progress endpoint" in answer for answer in answers)
    assert lab.passed(name) == ["Updating", "InService"]
    with admin.held(f"delete {name}"):
        sagemaker.delete_endpoint(EndpointName=name)
        assert "Cannot update in-progress endpoint" in refusal(sagemaker.delete_endpoint, EndpointName=name)
    assert lab.passed(name) == ["Deleting", "(gone)"]


def test_a_stack_deletes_an_endpoint_that_a_person_is_deleting(lab: Lab, admin: Admin) -> None:
    name, stack = lab.name("endpoint"), lab.name("stack")
    properties = {"EndpointName": name, "EndpointConfigName": lab.config()}
    resources = {"Endpoint": {"Type": "AWS::SageMaker::Endpoint", "Properties": properties}}
    assert lab.stack("create", stack, resources)[0] == "CREATE_COMPLETE"
    lab.passed(name)
    with ThreadPoolExecutor() as pool:
        with admin.held(f"delete {name}"):
            lab("sagemaker").delete_endpoint(EndpointName=name)
            deletion = pool.submit(lab.stack, "delete", stack, {})
            until(
                lambda: lab("cloudformation").describe_stacks(StackName=stack)["Stacks"][0]["StackStatus"],
                lambda status: status == "DELETE_IN_PROGRESS",
            )
        assert deletion.result()[0] == "DELETE_COMPLETE"
    assert lab.passed(name) == ["Deleting", "(gone)"]


def test_an_update_to_the_same_configuration_that_fails_fails_the_stack(lab: Lab, admin: Admin) -> None:
    name, stack, alarm = lab.name("endpoint"), lab.name("stack"), lab.name("alarm")
    put_alarm(lab, alarm)
    properties = {"EndpointName": name, "EndpointConfigName": lab.config()}
    resources = {"Endpoint": {"Type": "AWS::SageMaker::Endpoint", "Properties": properties}}
    assert lab.stack("create", stack, resources)[0] == "CREATE_COMPLETE"
    admin.script("endpoint", name, "fail", "The image does not start any more")
    deployment = {"DeploymentConfig": blue_green("ALL_AT_ONCE", alarm=alarm)}
    resources["Endpoint"]["Properties"] = properties | deployment
    status, reasons = lab.stack("update", stack, resources)
    assert status == "UPDATE_ROLLBACK_COMPLETE"
    assert "The image does not start any more" in reasons


@pytest.mark.parametrize(
    ("alarm_name", "status"),
    [
        # One alarm for all fleets, which the broken one has set off, ends the deployment that would mend it.
        ("{name}-errors", "UPDATE_ROLLBACK_COMPLETE"),
        (
            {"Fn::Join": ["-", ["{name}-errors", {"Fn::GetAtt": ["Config", "EndpointConfigName"]}]]},
            "UPDATE_COMPLETE",
        ),
    ],
)
def test_a_broken_endpoint_is_mended_where_each_fleet_has_alarms_of_its_own(
    lab: Lab, alarm_name: Any, status: str
) -> None:
    name, stack = lab.name("endpoint"), lab.name("stack")
    resources = json.loads(
        json.dumps(
            {
                "Config": {
                    "Type": "AWS::SageMaker::EndpointConfig",
                    "Properties": {"ProductionVariants": [lab.variant()]},
                },
                "Alarm": {
                    "Type": "AWS::CloudWatch::Alarm",
                    "Properties": {
                        "AlarmName": alarm_name,
                        "Namespace": "AWS/SageMaker",
                        "MetricName": "Invocation5XXErrors",
                        "Statistic": "Average",
                        "Period": 60,
                        "EvaluationPeriods": 1,
                        "Threshold": 0.01,
                        "ComparisonOperator": "GreaterThanThreshold",
                        "TreatMissingData": "notBreaching",
                    },
                },
                "Endpoint": {
                    "Type": "AWS::SageMaker::Endpoint",
                    "Properties": {
                        "EndpointName": "{name}",
                        "EndpointConfigName": {"Fn::GetAtt": ["Config", "EndpointConfigName"]},
                        "DeploymentConfig": {
                            **blue_green("CANARY", wait_s=60, last_wait_s=60, CanarySize=10),
                            "AutoRollbackConfiguration": {"Alarms": [{"AlarmName": {"Ref": "Alarm"}}]},
                        },
                    },
                },
            }
        ).replace("{name}", name)
    )
    assert lab.stack("create", stack, resources)[0] == "CREATE_COMPLETE"
    alarm = lab.physical_ids(stack)["Alarm"]
    lab("cloudwatch").set_alarm_state(AlarmName=alarm, StateValue="ALARM", StateReason="the model is broken")
    resources["Config"]["Properties"]["ProductionVariants"] = [lab.variant()]
    assert lab.stack("update", stack, resources)[0] == status
