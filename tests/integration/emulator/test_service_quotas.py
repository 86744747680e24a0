"""Service Quotas: plenty of everything, but for what a test orders."""

import urllib.error
from typing import Any

import pytest

from tests.integration.emulator.lab import Lab, refusal
from tests.integration.harness import Admin

NAME = "ml.g5.xlarge for endpoint usage"


def quotas(lab: Lab, operation: str, service: str) -> dict[str, float]:
    pages = list(lab("service-quotas").get_paginator(operation).paginate(ServiceCode=service))
    assert service != "sagemaker" or len(pages) > 1
    return {quota["QuotaName"]: quota["Value"] for page in pages for quota in page["Quotas"]}


def test_a_quota_is_plenty_until_a_test_lowers_it(lab: Lab, admin: Admin) -> None:
    assert quotas(lab, "list_service_quotas", "sagemaker")[NAME] == 10_000
    admin.quotas(**{NAME: 0})
    assert quotas(lab, "list_service_quotas", "sagemaker")[NAME] == 0
    assert quotas(lab, "list_aws_default_service_quotas", "sagemaker")[NAME] == 10_000
    admin.clear()
    assert quotas(lab, "list_service_quotas", "sagemaker")[NAME] == 10_000


@pytest.mark.parametrize(
    ("service", "name"),
    [("ec2", "All G and VT Spot Instance Requests"), ("lambda", "Concurrent executions")],
)
def test_other_services_have_quotas_too(service: str, name: str, lab: Lab, admin: Admin) -> None:
    assert quotas(lab, "list_service_quotas", service)[name] == 10_000


def test_what_is_not_known_is_refused(lab: Lab, admin: Admin) -> None:
    ask: Any = lab("service-quotas").list_service_quotas
    assert refusal(ask, ServiceCode="s3").startswith("NoSuchResourceException: ")
    with pytest.raises(urllib.error.HTTPError, match="400"):
        admin.quotas(anything=1)
