"""Accept a finding of cdk-nag where it arises, with a reason that an auditor can weigh.

A cdk-nag pack is a validation plugin of the app. A finding that has several instances on one resource carries what it
found in brackets, and only the full id silences it: ``AwsSolutions-IAM5[Resource::*]``
(https://github.com/cdklabs/cdk-nag, section "Acknowledging a Rule"). CDK itself accepts any id and any reason, even
empty ones, so both are checked here.
"""

from collections.abc import Iterable, Mapping

from aws_cdk import Acknowledgment, Validations
from constructs import IConstruct

MIN_REASON_LENGTH = 20


def acknowledge(construct: IConstruct, finding_id: str, reason: str) -> None:
    """Accept one finding on the resource ``construct``: pass the narrowest construct that has it.

    Raises ValueError for an empty id and for a reason that is too short to be one.
    """
    acknowledge_each(construct, {finding_id: reason})


def acknowledge_all(construct: IConstruct, finding_ids: Iterable[str], reason: str) -> None:
    """Accept several findings that one reason answers, usually the same rule in several packs.

    Raises ValueError like ``acknowledge``, and for no id at all.
    """
    acknowledge_each(construct, dict.fromkeys(finding_ids, reason))


def acknowledge_each(construct: IConstruct, reasons: Mapping[str, str]) -> None:
    """Accept several findings of one resource, each id with its own reason, in one call of the kernel.

    Raises ValueError like ``acknowledge``, and for no id at all.
    """
    if not reasons or not all(finding_id.strip() for finding_id in reasons):
        raise ValueError(f"a finding id is missing in {tuple(reasons)!r}")
    for finding_id, reason in reasons.items():
        if len(reason.strip()) < MIN_REASON_LENGTH:
            raise ValueError(
                f"the reason for accepting {finding_id} needs at least {MIN_REASON_LENGTH} characters, got {reason!r}"
            )
    Validations.of(construct).acknowledge(
        *(Acknowledgment(id=finding_id, reason=reason) for finding_id, reason in reasons.items())
    )
