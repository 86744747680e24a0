"""The quotas of Service Quotas, each beside the most that the plan takes of it at the same time.

A quota that nobody raised is not in ListServiceQuotas of some accounts, but in ListAWSDefaultServiceQuotas:
https://docs.aws.amazon.com/servicequotas/2019-06-24/apireference/API_ListServiceQuotas.html
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from sizewell.account.aws_account import AwsAccount
from sizewell.account.check import Answer, Check, Place, fails, passes, warns
from sizewell.planning.quotas import QuotaPlan


@dataclass(frozen=True)
class _OfService:
    service: str
    needed: tuple[QuotaPlan, ...]


def _subjects(place: Place) -> Iterator[_OfService]:
    here = [
        quota
        for quota in place.plan.quotas
        if (quota.account, quota.region) == (place.aws.account, place.aws.region)
    ]
    for service, needed in groupby(here, lambda quota: quota.service):
        yield _OfService(service, tuple(needed))


def _ask(aws: AwsAccount, subject: _OfService) -> Iterator[Answer]:
    stated = _quotas(aws, "list_aws_default_service_quotas", subject.service)
    stated |= _quotas(aws, "list_service_quotas", subject.service)
    for needed in subject.needed:
        if (quota := stated.get(needed.name)) is None:
            yield warns(
                needed.name,
                f"{needed.needed:,} needed; Service Quotas does not name it",
                "look for it in the console of Service Quotas, or ask AWS Support",
            )
        elif quota["Value"] < needed.needed:
            yield fails(
                needed.name,
                f"{quota['Value']:,.0f} allowed, {needed.needed:,} needed",
                f"aws service-quotas request-service-quota-increase --region {aws.region} --service-code {subject.service} "
                f"--quota-code {quota['QuotaCode']} --desired-value {needed.needed}"
                if quota["Adjustable"]
                else "AWS raises it for nobody: plan for less",
            )
        else:
            yield passes(needed.name, f"{quota['Value']:,.0f} allowed, {needed.needed:,} needed")


def _quotas(aws: AwsAccount, operation: str, service: str) -> dict[str, Any]:
    pages = aws.client("service-quotas").get_paginator(operation).paginate(ServiceCode=service)
    return {quota["QuotaName"]: quota for page in pages for quota in page["Quotas"]}


QUOTAS = Check(
    name="quotas",
    actions=("servicequotas:ListServiceQuotas", "servicequotas:ListAWSDefaultServiceQuotas"),
    subjects=_subjects,
    ask=_ask,
    named=lambda subject: f"quotas of {subject.service}",
)
