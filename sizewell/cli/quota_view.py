"""The quotas that a plan needs, as lines below its table."""

from itertools import groupby

from rich.markup import escape

from sizewell.facts.quotas import FUNCTION_CONCURRENCY, QuotaService
from sizewell.planning.plan import DeploymentPlan

#: Prints what Service Quotas says of the quotas with a word in their name.
_COMMAND = (
    "aws service-quotas list-service-quotas --service-code {service} --region {region} --output table "
    "--query \"Quotas[?contains(QuotaName, '{word}')].[QuotaName, QuotaCode, Value]\""
)


#: What is in the names of quotas of a service, for example.
_WORDS: dict[QuotaService, str] = {
    "ec2": "On-Demand",
    "lambda": FUNCTION_CONCURRENCY,
    "sagemaker": "ml.g5.xlarge",
}


def quota_lines(plan: DeploymentPlan) -> list[str]:
    """Return each quota with the least that it has to be, by account and region, and the commands that show what they are."""
    lines = []
    for (account, region), quotas in groupby(plan.quotas, lambda one: (one.account, one.region)):
        lines.append(f"Service quotas that {account} needs in {region}, updates of endpoints included:")
        for one in quotas:
            lines.append(
                f"{one.needed:>7,}  {one.name}{'' if one.service == 'sagemaker' else f' ({one.service})'}"
            )
    for service in sorted({one.service for one in plan.quotas}):
        region = next(one.region for one in plan.quotas if one.service == service)
        command = escape(_COMMAND.format(service=service, region=region, word=_WORDS[service]))
        lines.append(f"What they are today, and the codes to ask for more, for example: {command}")
    return lines
