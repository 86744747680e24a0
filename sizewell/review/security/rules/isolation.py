"""Isolation from networks, as settings of resources and of requests inside state machines."""

from collections.abc import Mapping
from typing import Any

from sizewell.review.security.rules.settings import Setting, given, switch

_LOST, _GAINED = "isolation-lost", "isolation-gained"
_OUT = "Containers can open connections of their own, and can send data out."
_NO_OUT = "Containers cannot open connections."
_NO_VPC = "It runs outside the VPC. Security groups, endpoint policies and flow logs do not apply to it."
_VPC = "It runs inside the VPC. Security groups, endpoint policies and flow logs apply to it."


def _in_vpc(value: Any) -> float:
    """Return 1 for a configuration that names subnets."""
    if isinstance(value, Mapping) and not any(key.startswith("Fn::") for key in value):
        return max(
            given(value.get(f"{key}{path}")) for key in ("Subnets", "SubnetIds") for path in ("", ".$")
        )
    return given(value)


ISOLATION = (
    Setting(
        ("AWS::SageMaker::Model", "AWS::SageMaker::TrainingJob"),
        "EnableNetworkIsolation",
        switch(0),
        _LOST,
        _GAINED,
        _OUT,
        _NO_OUT,
    ),
    Setting(
        ("AWS::SageMaker::Model", "AWS::SageMaker::TrainingJob", "AWS::Lambda::Function"),
        "VpcConfig",
        _in_vpc,
        _LOST,
        _GAINED,
        _NO_VPC,
        _VPC,
    ),
)

#: https://docs.aws.amazon.com/sagemaker/latest/APIReference/API_CreateTrainingJob.html, and its like for processing and tuning.
REQUEST_ISOLATION = (
    Setting((), "EnableNetworkIsolation", switch(0), _LOST, _GAINED, _OUT, _NO_OUT),
    Setting((), "VpcConfig", _in_vpc, _LOST, _GAINED, _NO_VPC, _VPC),
    Setting((), "TrainingJobDefinition.EnableNetworkIsolation", switch(0), _LOST, _GAINED, _OUT, _NO_OUT),
    Setting((), "TrainingJobDefinition.VpcConfig", _in_vpc, _LOST, _GAINED, _NO_VPC, _VPC),
    Setting((), "NetworkConfig.EnableNetworkIsolation", switch(0), _LOST, _GAINED, _OUT, _NO_OUT),
    Setting((), "NetworkConfig.VpcConfig", _in_vpc, _LOST, _GAINED, _NO_VPC, _VPC),
)
