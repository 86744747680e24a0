"""Why SageMaker refuses an update: the variant is a registered scalable target.

https://docs.aws.amazon.com/sagemaker/latest/dg/endpoint-scaling-update.html says when; AWS publishes no text of the
message, so the words are ours.
"""

from typing import Any

from sizewell_localcloud.emulator.errors import ValidationError
from sizewell_localcloud.emulator.scalable_targets import registered_variants


def require_no_registered_change(endpoint_name: str, current: dict[str, Any], wanted: dict[str, Any]) -> None:
    """Refuse another instance type for a registered variant, and its removal; another model is allowed."""
    registered = registered_variants(endpoint_name)
    if not registered:
        return
    types = {variant["VariantName"]: variant.get("InstanceType") for variant in wanted["ProductionVariants"]}
    for variant in current["ProductionVariants"]:
        name = variant["VariantName"]
        if name not in registered:
            continue
        if name not in types:
            raise ValidationError(
                f"Variant {name} of endpoint {endpoint_name} is a registered scalable target and cannot be removed. "
                "Deregister it from Application Auto Scaling first."
            )
        if types[name] != variant.get("InstanceType"):
            raise ValidationError(
                f"The instance type of variant {name} of endpoint {endpoint_name} cannot change from "
                f"{variant.get('InstanceType')} to {types[name]} while it is a registered scalable target. "
                "Deregister it from Application Auto Scaling first."
            )
