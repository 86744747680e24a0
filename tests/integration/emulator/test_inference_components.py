"""Inference components in the local cloud: made, scaled, and refused as SageMaker refuses them."""

from typing import Any

import pytest
from botocore.exceptions import ClientError

from tests.integration.emulator.lab import SMALL, Lab
from tests.localcloud.processes import until

pytestmark = pytest.mark.usefixtures("admin")
COPY_COUNT = "sagemaker:inference-component:DesiredCopyCount"


def made(lab: Lab, **changes: Any) -> tuple[str, str]:
    """Return a fleet in service, and a component of it."""
    sagemaker = lab("sagemaker")
    endpoint, component = lab.name("fleet"), lab.name("component")
    sagemaker.create_endpoint_config(
        EndpointConfigName=endpoint,
        ExecutionRoleArn=lab.role,
        ProductionVariants=[
            {
                "VariantName": "primary",
                "InstanceType": SMALL,
                "InitialInstanceCount": 1,
                "ManagedInstanceScaling": {"MinInstanceCount": 0, "MaxInstanceCount": 3},
                **changes.pop("variant", {}),
            }
        ],
    )
    sagemaker.create_endpoint(EndpointName=endpoint, EndpointConfigName=endpoint)
    until(
        lambda: sagemaker.describe_endpoint(EndpointName=endpoint)["EndpointStatus"],
        lambda status: status == "InService",
    )
    sagemaker.create_inference_component(
        **{
            "InferenceComponentName": component,
            "EndpointName": endpoint,
            "VariantName": "primary",
            "Specification": {
                "ModelName": lab.model(),
                "ComputeResourceRequirements": {"MinMemoryRequiredInMb": 512, "NumberOfCpuCoresRequired": 1},
            },
            "RuntimeConfig": {"CopyCount": 1},
            **changes,
        }
    )
    return endpoint, component


def settled(lab: Lab, component: str, copies: int) -> dict[str, Any]:
    found: dict[str, Any] = until(
        lambda: lab("sagemaker").describe_inference_component(InferenceComponentName=component),
        lambda one: bool(one["RuntimeConfig"]["CurrentCopyCount"] == copies),
    )
    return found


def test_copies_follow_the_bounds_of_their_target_and_go_with_the_component(lab: Lab) -> None:
    endpoint, component = made(lab)
    assert settled(lab, component, 1)["EndpointName"] == endpoint
    scaling, target = (
        lab("application-autoscaling"),
        {
            "ServiceNamespace": "sagemaker",
            "ResourceId": f"inference-component/{component}",
            "ScalableDimension": COPY_COUNT,
        },
    )
    scaling.register_scalable_target(**target, MinCapacity=2, MaxCapacity=4)
    assert settled(lab, component, 2)["InferenceComponentStatus"] == "InService"
    with pytest.raises(ClientError, match=f"Cannot delete endpoint {endpoint} with inference components"):
        lab("sagemaker").delete_endpoint(EndpointName=endpoint)
    lab("sagemaker").delete_inference_component(InferenceComponentName=component)
    assert (
        scaling.describe_scalable_targets(ServiceNamespace="sagemaker", ResourceIds=[target["ResourceId"]])[
            "ScalableTargets"
        ]
        == []
    )


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"VariantName": "other"}, "Inference Components are not supported in this Endpoint"),
        ({"EndpointName": "nowhere"}, "Could not find endpoint"),
        (
            {
                "Specification": {
                    "ModelName": "nothing",
                    "ComputeResourceRequirements": {"MinMemoryRequiredInMb": 512},
                }
            },
            "Could not find model",
        ),
    ],
)
def test_what_sagemaker_refuses(lab: Lab, changes: dict[str, Any], words: str) -> None:
    with pytest.raises(ClientError, match=words):
        made(lab, **changes)


def test_an_endpoint_of_one_model_takes_no_component(lab: Lab) -> None:
    with pytest.raises(ClientError, match="Inference Components are not supported in this Endpoint"):
        made(lab, variant={"ModelName": lab.model()})
