"""What is deployed, read back in rows."""

from types import SimpleNamespace
from typing import Any

import pytest

from sizewell_localcloud import inventory

VARIANT = "endpoint/demo-dev-reports/variant/primary"
ANSWERS: dict[str, dict[str, Any]] = {
    "list_endpoints": {"Endpoints": [{"EndpointName": "demo-dev-reports"}]},
    "describe_endpoint": {
        "EndpointConfigName": "config",
        "EndpointStatus": "InService",
        "ProductionVariants": [
            {"VariantName": "primary", "CurrentInstanceCount": 1, "DesiredInstanceCount": 2}
        ],
    },
    "describe_endpoint_config": {
        "ProductionVariants": [{"VariantName": "primary", "InstanceType": "ml.m5.large"}]
    },
    "describe_scalable_targets": {
        "ScalableTargets": [{"ResourceId": VARIANT, "MinCapacity": 0, "MaxCapacity": 4}]
    },
    "describe_scaling_policies": {
        "ScalingPolicies": [
            {"ResourceId": VARIANT, "TargetTrackingScalingPolicyConfiguration": {"TargetValue": 16.0}},
            {"ResourceId": VARIANT, "StepScalingPolicyConfiguration": {}},
        ]
    },
}


def test_the_target_of_a_variant_is_that_of_what_it_tracks_beside_its_steps(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    calls = {name: lambda answer=answer, **_: answer for name, answer in ANSWERS.items()}
    client = SimpleNamespace(can_paginate=lambda _: False, **calls)
    monkeypatch.setattr(inventory, "boto3", SimpleNamespace(client=lambda _: client))
    (row,) = inventory.endpoints("demo-dev-*")
    assert (row["instances"], row["scaling"], row["target"]) == ("1 of 2", "0-4", "16")
