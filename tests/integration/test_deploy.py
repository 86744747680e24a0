"""``sizewell deploy`` through the real CLI when an instance type changes: it works, and whatever interrupts it is made good.

SageMaker's refusal itself is in emulator/test_autoscaling.py; the order of the steps, and a run that is killed at each
call, in tests/deploy.
"""

import json
import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from sizewell.kinds.training_job.plan_model import TrainingJobPlan
from sizewell.planning.endpoint_plan_model import EndpointPlan
from tests.integration.changed_configuration import endpoint_of
from tests.integration.harness import Admin, Deployment, Template, only_resource
from tests.integration.released_scaling import remove_scaling, with_released_scaling
from tests.integration.running import as_planned, resource_id, running, set_count
from tests.localcloud.processes import PATIENCE_S

pytestmark = pytest.mark.parametrize("deployed", ["prod"], indirect=True)

WORKLOAD = "support-bert"
NIGHTS = {
    "ScheduledActionName": "nights",
    "Schedule": "cron(0 20 ? * MON,FRI *)",
    "Timezone": "Europe/Berlin",
    "ScalableTargetAction": {"MinCapacity": 2, "MaxCapacity": 2},
}
CAPACITY = "Unable to provision requested ML compute capacity."


@pytest.fixture
def endpoint(deployed: Deployment) -> EndpointPlan:
    return endpoint_of(deployed.plan, WORKLOAD)


@pytest.fixture
def another_type(deployed: Deployment, endpoint: EndpointPlan) -> Path:
    """Return an assembly in which the endpoint has another instance type, and fewer instances at night."""

    def change(template: Template) -> None:
        (variant,) = only_resource(template, "AWS::SageMaker::EndpointConfig")["ProductionVariants"]
        variant["InstanceType"] = endpoint.instance_pools[1]
        only_resource(template, "AWS::ApplicationAutoScaling::ScalableTarget")["ScheduledActions"] = [NIGHTS]

    return deployed.edited(endpoint.stack_name, change, name="another-type")


@pytest.fixture(autouse=True)
def as_deployed(deployed: Deployment, endpoint: EndpointPlan) -> None:
    """Start from the shipped configuration, whatever became of the test before."""
    if not as_planned(endpoint).items() <= running(deployed, endpoint).items():
        assert run(deployed, endpoint)[0] == 0


@pytest.fixture(scope="module", autouse=True)
def _as_it_was(deployed: Deployment) -> Iterator[None]:
    """Leave the shipped configuration to the tests that follow."""
    yield
    deployed.sizewell_deploy(endpoint_of(deployed.plan, WORKLOAD).stack_name)


def run(
    deployed: Deployment, endpoint: EndpointPlan, assembly: Path | None = None, *flags: str
) -> tuple[int, str]:
    """Run ``sizewell deploy`` to its end; return its exit code and what it printed."""
    process = deployed.start_sizewell_deploy(endpoint.stack_name, assembly=assembly, flags=flags)
    printed, _ = process.communicate(timeout=PATIENCE_S)
    return process.returncode, printed


def moved(endpoint: EndpointPlan) -> dict[str, Any]:
    """Return what ``running`` must say of the endpoint on the other type."""
    return as_planned(endpoint) | {"type": endpoint.instance_pools[1]}


def scheduled_actions(deployed: Deployment, endpoint: EndpointPlan) -> list[dict[str, Any]]:
    found = deployed.client("application-autoscaling").describe_scheduled_actions(
        ServiceNamespace="sagemaker", ResourceId=resource_id(endpoint)
    )
    return list(found["ScheduledActions"])


def is_off(deployed: Deployment, endpoint: EndpointPlan) -> bool:
    given = deployed.stack(endpoint.stack_name)["Parameters"]
    return {"ParameterKey": "Autoscaling", "ParameterValue": "off"} in given


def test_cdk_alone_is_refused_and_loses_nothing(
    deployed: Deployment, endpoint: EndpointPlan, another_type: Path
) -> None:
    before = running(deployed, endpoint)
    result = deployed.deploy(endpoint.stack_name, assembly=another_type, check=False)
    assert "while it is a registered scalable target" in " ".join((result.stdout + result.stderr).split())
    assert deployed.stack(endpoint.stack_name)["StackStatus"] == "UPDATE_ROLLBACK_COMPLETE"
    assert running(deployed, endpoint) == before


def test_a_new_type_arrives_with_the_count_that_autoscaling_had_set(
    deployed: Deployment, endpoint: EndpointPlan, another_type: Path, admin: Admin
) -> None:
    assert endpoint.scaling is not None
    set_count(deployed, endpoint, endpoint.scaling.max_instance_count)
    admin.clear()
    code, printed = run(deployed, endpoint, another_type)
    assert code == 0, printed
    changing = [
        call["operation"]
        for call in admin.calls()
        if not call["operation"].startswith(("Describe", "List")) and "Model" not in call["operation"]
    ]
    assert changing == [
        "DeleteScalingPolicy",
        "DeregisterScalableTarget",
        "CreateEndpointConfig",
        "UpdateEndpoint",
        "DeleteEndpointConfig",
        "RegisterScalableTarget",
        "PutScheduledAction",
        "PutScalingPolicy",
    ]
    (action,) = scheduled_actions(deployed, endpoint)
    assert NIGHTS.items() <= action.items(), "the schedule came back with the target"
    after = running(deployed, endpoint)
    assert after["count"] == endpoint.scaling.max_instance_count
    assert moved(endpoint).items() <= after.items()


#: By what the command has printed last before it dies; None while the endpoint is updated.
@pytest.mark.parametrize("printed", ["1 of 3", None, "3 of 3"])
def test_the_next_run_ends_what_a_killed_one_began(
    deployed: Deployment, endpoint: EndpointPlan, another_type: Path, admin: Admin, printed: str | None
) -> None:
    with admin.held(f"update {endpoint.endpoint_name}") as update:
        process = deployed.start_sizewell_deploy(endpoint.stack_name, assembly=another_type)
        assert process.stdout is not None
        if printed != "1 of 3":
            update.until_pause()
            if printed:
                admin._post("release", {"operation": update.operation})
        if printed:
            assert any(printed in line for line in process.stdout), "it never came to this step"
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
    code, said = run(deployed, endpoint, another_type)
    assert code == 0, said
    assert moved(endpoint).items() <= running(deployed, endpoint).items()
    assert not is_off(deployed, endpoint)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_an_interrupted_run_turns_autoscaling_on_before_it_ends(
    deployed: Deployment, endpoint: EndpointPlan, another_type: Path, admin: Admin, number: signal.Signals
) -> None:
    with admin.held(f"update {endpoint.endpoint_name}") as update:
        process = deployed.start_sizewell_deploy(endpoint.stack_name, assembly=another_type)
        update.until_pause()
        # A terminal interrupts the whole group, cdk as well.
        os.killpg(process.pid, number) if number is signal.SIGINT else process.send_signal(number)
        assert process.stdout is not None
        printed = []
        for line in process.stdout:
            printed.append(line)
            if "interrupt again to leave it off" in line:
                break
    rest, _ = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 128 + number
    assert "Traceback" not in "".join(printed) + rest
    assert moved(endpoint).items() <= running(deployed, endpoint).items()
    assert not is_off(deployed, endpoint)


def test_an_endpoint_that_does_not_start_on_the_new_type_is_rolled_back_and_scales(
    deployed: Deployment, endpoint: EndpointPlan, another_type: Path, admin: Admin
) -> None:
    before = running(deployed, endpoint)
    admin.script("endpoint", endpoint.endpoint_name, "fail", CAPACITY)
    code, printed = run(deployed, endpoint, another_type)
    assert (code, CAPACITY in " ".join(printed.split())) == (1, True)
    assert running(deployed, endpoint) == before
    assert not is_off(deployed, endpoint)


def test_without_rollback_cdk_replaces_no_configuration_and_autoscaling_is_on_again(
    deployed: Deployment, endpoint: EndpointPlan, another_type: Path, admin: Admin
) -> None:
    before = running(deployed, endpoint)
    code, printed = run(deployed, endpoint, another_type, "--no-rollback")
    assert code == 1
    assert "a replacement which cannot be deployed while rollback is disabled" in " ".join(printed.split())
    assert running(deployed, endpoint) == before
    assert not is_off(deployed, endpoint)


def test_a_variant_is_replaced_by_another_one(
    deployed: Deployment, endpoint: EndpointPlan, admin: Admin
) -> None:
    def rename(template: Template) -> None:
        (variant,) = only_resource(template, "AWS::SageMaker::EndpointConfig")["ProductionVariants"]
        variant["VariantName"] = "Blue"
        target = only_resource(template, "AWS::ApplicationAutoScaling::ScalableTarget")
        target["ResourceId"] = target["ResourceId"].replace(endpoint.variant_name, "Blue")
        # A rollout by guardrails keeps the names.
        del only_resource(template, "AWS::SageMaker::Endpoint")["DeploymentConfig"]

    blue = endpoint.model_copy(update={"variant_name": "Blue"})
    code, printed = run(deployed, endpoint, deployed.edited(endpoint.stack_name, rename, name="blue"))
    assert code == 0, printed
    assert as_planned(blue).items() <= running(deployed, blue).items()
    assert running(deployed, endpoint)["bounds"] == []
    # The way back takes another name, too, so the guardrails come after it.
    unguarded = deployed.edited(
        endpoint.stack_name,
        lambda template: only_resource(template, "AWS::SageMaker::Endpoint").pop("DeploymentConfig"),
        name="unguarded",
    )
    assert run(deployed, endpoint, unguarded)[0] == 0


def test_scaling_can_be_taken_away_together_with_a_new_type(
    deployed: Deployment, endpoint: EndpointPlan, another_type: Path, admin: Admin
) -> None:
    def fixed_count(template: Template) -> None:
        (variant,) = only_resource(template, "AWS::SageMaker::EndpointConfig")["ProductionVariants"]
        variant["InstanceType"] = endpoint.instance_pools[1]
        remove_scaling(template)

    off = deployed.edited(endpoint.stack_name, fixed_count, name="fixed-count")
    code, printed = run(deployed, endpoint, off)
    assert code == 0, printed
    assert running(deployed, endpoint)["bounds"] == []
    assert running(deployed, endpoint)["type"] == endpoint.instance_pools[1]
    # The fixture goes back: another type, and scaling, in one run.


def test_a_stack_of_release_0_1_comes_over_in_one_run(
    deployed: Deployment, endpoint: EndpointPlan, another_type: Path, admin: Admin
) -> None:
    # In a deployment of its own: the native target, which goes at the end, would deregister what the function has registered.
    deployed.deploy(
        endpoint.stack_name, assembly=deployed.edited(endpoint.stack_name, remove_scaling, name="unscaled")
    )
    deployed.deploy(endpoint.stack_name, assembly=with_released_scaling(deployed, endpoint))
    assert as_planned(endpoint).items() <= running(deployed, endpoint).items()
    code, printed = run(deployed, endpoint, another_type)
    assert code == 0, printed
    assert moved(endpoint).items() <= running(deployed, endpoint).items()
    resources = deployed.physical_ids(endpoint.stack_name)
    assert not {"Release", "Scaling", "Deployed"} & resources.keys()


def test_nothing_is_deployed_when_step_functions_refuses_a_state_machine(deployed: Deployment) -> None:
    (stack, *_) = (job.stack_name for job in deployed.plan.of(TrainingJobPlan))

    def lead_nowhere(template: Template) -> None:
        machine = only_resource(template, "AWS::StepFunctions::StateMachine")
        # A text, or pieces of one that are joined at the deployment.
        quoted = json.dumps(machine["DefinitionString"])
        machine["DefinitionString"] = json.loads(
            quoted.replace(r"\"Next\": \"Train1\"", r"\"Next\": \"Nowhere\"")
        )

    broken = deployed.edited(stack, lead_nowhere, name="broken")
    process = deployed.start_sizewell_deploy(stack, assembly=broken)
    printed, _ = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 1
    refused = f"{stack}: Step Functions refuses the state machine {stack}:\n  Missing 'Next' target: Nowhere "
    assert f"{refused}(MISSING_TRANSITION_TARGET at " in printed
    assert "deploying" not in printed


def test_state_machines_are_validated_alone(deployed: Deployment) -> None:
    process = deployed.start_sizewell_deploy(flags=("--validate-only",))
    printed, _ = process.communicate(timeout=PATIENCE_S)
    machines = len(deployed.plan.of(TrainingJobPlan))
    assert (process.returncode, printed) == (
        0,
        f"Step Functions takes the definitions of {machines} state machines\n",
    )
