"""The quotas that a plan needs, as lines below its table."""

from itertools import groupby

from rich.markup import escape

from sizewell.planning.plan import DeploymentPlan

#: Prints what Service Quotas says of the quotas with a word in their name.
_COMMAND = (
    "aws service-quotas list-service-quotas --service-code sagemaker --region {region} --output table "
    "--query \"Quotas[?contains(QuotaName, 'ml.g5.xlarge')].[QuotaName, QuotaCode, Value]\""
)


def quota_lines(plan: DeploymentPlan) -> list[str]:
    """Return each quota with the least that it has to be, by account and region, and the command that shows what it is."""
    lines = []
    for (account, region), quotas in groupby(plan.quotas, lambda one: (one.account, one.region)):
        lines.append(f"Service quotas that {account} needs in {region}, updates of endpoints included:")
        for one in quotas:
            lines.append(
                f"{one.needed:>7,}  {one.name}{'' if one.service == 'sagemaker' else f' ({one.service})'}"
            )
    if lines:
        command = escape(_COMMAND.format(region=plan.quotas[0].region))
        lines.append(f"What they are today, and the codes to ask for more, for example: {command}")
    return lines
