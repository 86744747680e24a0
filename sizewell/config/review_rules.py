"""What an environment asks of ``sizewell review``: conditions that stop a change, approvals, and waivers that end."""

from typing import Annotated

from pydantic import Field

from sizewell.config.base import ConfigModel
from sizewell.facts.days import DAY_PATTERN

_HAZARD_OF_A_RULE = "hazard:[a-z0-9]+(-[a-z0-9]+)*"
_OTHERS = (
    r"replace(-stateful)?|remove-stateful|iam-broadened|security-weaker|public-exposure|acknowledgement-added"
    r"|(cost|most)-increase>[0-9]+(\.[0-9]+)?(%|usd)|cost-unknown|selection-changed|over-budget|no-base|unknown|not-safe"
)

#: A condition of ``sizewell review --fail-on``, of this environment; which hazard rules there are, the review knows.
ReviewCondition = Annotated[
    str,
    Field(
        pattern=rf"^(danger|warning|hazard|{_HAZARD_OF_A_RULE}|{_OTHERS})$",
        max_length=100,
        examples=["replace-stateful"],
        description="A condition of the gate, as sizewell guide review lists them, for example hazard:alarm-removed.",
    ),
]
#: The same without the conditions that hazards of any rule meet: a waiver of those waives what nobody has seen yet.
WaivableCondition = Annotated[
    str,
    Field(
        pattern=rf"^({_HAZARD_OF_A_RULE}|{_OTHERS})$",
        max_length=100,
        examples=["hazard:alarm-removed"],
        description="The condition of the gate that the finding meets; of a hazard its rule, for example hazard:alarm-removed.",
    ),
]
#: A user or a team, as GitHub and GitLab write them after @.
Approver = Annotated[
    str,
    Field(
        pattern=r"^[A-Za-z0-9_][A-Za-z0-9_.-]*(/[A-Za-z0-9_][A-Za-z0-9_.-]*)*$",
        max_length=200,
        examples=["ada"],
        description="A user, such as ada, or a team, such as company/data-owners, without @.",
    ),
]


class ReviewApproval(ConfigModel):
    """Who must approve findings of a kind."""

    of: ReviewCondition
    """The condition that the findings meet, for example replace-stateful or hazard:alarm-removed."""

    by: Annotated[tuple[Approver, ...], Field(min_length=1, max_length=20)]
    """The users and teams who must approve, each of them, for example [ada, company/data-owners]."""


class ReviewWaiver(ConfigModel):
    """A finding that does not stop a change until a day."""

    of: WaivableCondition
    """The condition that the finding meets, as the gate has it, for example "cost-increase>10%"; of a hazard its rule."""

    subject: Annotated[str, Field(min_length=1, max_length=500)]
    """What the finding is about, as the review writes it, for example demo-prod-foundation/ArtifactsBucket."""

    reason: Annotated[
        str, Field(pattern=r"\S", min_length=1, max_length=500, examples=["moved in the second step"])
    ]
    """Why the finding is accepted."""

    until: Annotated[str, Field(pattern=DAY_PATTERN, examples=["2027-01-31"])]
    """The last day on which the finding is waived, YYYY-MM-DD."""
