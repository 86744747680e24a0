"""Service Quotas: what an account may have. Nothing here is limited by it; a test orders a lower value (admin.py).

Names: https://docs.aws.amazon.com/general/latest/gr/sagemaker.html,
https://docs.aws.amazon.com/ec2/latest/instancetypes/ec2-instance-quotas.html
"""

from functools import cache
from hashlib import sha256
from typing import Any

from sizewell_localcloud.emulator.account import arn
from sizewell_localcloud.emulator.errors import AwsError, ValidationError
from sizewell_localcloud.emulator.json_service import JsonService
from sizewell_localcloud.emulator.service_models import service_model

#: More than any test needs.
_PLENTY = 10_000.0
_PAGE = 100
_USES = (
    "endpoint",
    "notebook instance",
    "processing job",
    "spot training job",
    "training job",
    "training warm pool",
    "transform job",
)
_OF_SAGEMAKER = (
    "Number of instances across active endpoints",
    "Number of instances across all processing jobs",
    "Number of instances across all spot training jobs",
    "Number of instances across all training jobs",
    "Number of instances across all transform jobs",
    "Total number of notebook instances",
    "Maximum total concurrency that can be allocated across all serverless endpoints",
)
_FAMILIES = ("DL", "F", "G and VT", "Inf", "P", "Standard (A, C, D, H, I, M, R, T, Z)", "Trn", "X")
_SPOT_FAMILIES = (*(name for name in _FAMILIES if name != "P"), "P4, P3 and P2", "P5", "P6")
_ordered: dict[str, float] = {}


def order(values: dict[str, float]) -> None:
    """Set the values of quotas by their names, in every account, until ``clear``. Raises ValueError for an unknown name."""
    unknown = values.keys() - {name for service in _names() for name in _names()[service]}
    if unknown:
        raise ValueError(f"there are no such quotas: {', '.join(sorted(unknown))}")
    _ordered.update(values)


def clear() -> None:
    """Forget all values that were ordered."""
    _ordered.clear()


@cache
def _names() -> dict[str, tuple[str, ...]]:
    types = service_model("sagemaker").shape_for("ProductionVariantInstanceType").enum
    return {
        "ec2": (
            *(f"Running On-Demand {family} instances" for family in _FAMILIES),
            *(f"All {family} Spot Instance Requests" for family in _SPOT_FAMILIES),
        ),
        "lambda": ("Concurrent executions",),
        "sagemaker": (
            *_OF_SAGEMAKER,
            *(f"{instance_type} for {use} usage" for instance_type in types for use in _USES),
        ),
    }


def _defaults(request: dict[str, Any]) -> dict[str, Any]:
    return _page(request, {})


def _applied(request: dict[str, Any]) -> dict[str, Any]:
    return _page(request, _ordered)


def _page(request: dict[str, Any], ordered: dict[str, float]) -> dict[str, Any]:
    service = request["ServiceCode"]
    if service not in _names():
        raise AwsError("NoSuchResourceException", f"The service {service} is not known to the local cloud")
    names = _names()[service]
    try:
        first = int(request.get("NextToken", 0))
    except ValueError:
        raise ValidationError("Invalid NextToken") from None
    end = first + request.get("MaxResults", _PAGE)
    page: dict[str, Any] = {"Quotas": [_quota(service, name, ordered) for name in names[first:end]]}
    return page | ({"NextToken": str(end)} if end < len(names) else {})


def _quota(service: str, name: str, ordered: dict[str, float]) -> dict[str, Any]:
    code = f"L-{sha256(name.encode()).hexdigest()[:8].upper()}"
    return {
        "ServiceCode": service,
        "QuotaName": name,
        "QuotaCode": code,
        "QuotaArn": arn("servicequotas", f"{service}/{code}"),
        "Value": ordered.get(name, _PLENTY),
        "Unit": "None",
        "Adjustable": True,
        "GlobalQuota": False,
    }


SERVICE_QUOTAS = JsonService(
    "service-quotas",
    {"ListAWSDefaultServiceQuotas": _defaults, "ListServiceQuotas": _applied},
)
