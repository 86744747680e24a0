"""The whole review, the one model that every format prints: two sides, the answer, what stops it, and the sections.

In amounts of money None is unknown, never zero.
"""

from typing import Literal

from sizewell.documented_model import DocumentedModel
from sizewell.review.words import Direction, Effect, Severity
from sizewell.templates.template import Action
from sizewell.templates.template import Effect as Update


class ReviewModel(DocumentedModel):
    """Frozen, and strict about keys: the JSON of a review is these models."""


class Hazard(ReviewModel):
    """One danger, said so that nobody has to look anything up."""

    rule: str
    """The name of the rule, which a gate condition names, such as stateful-replaced."""
    severity: Severity
    """How bad it is: danger may lose data, traffic or protection; warning must be known before a deployment; notice is
    good to know."""
    effect: Effect
    """What suffers: requests and runs (availability), data (durability), protection (security), notifications (alerting),
    results (correctness), the way back from a failure (recovery), or the bill (money)."""
    environment: str
    """The name of the environment."""
    stack: str
    """The name of the stack."""
    logical_id: str | None = None
    """The logical id of the resource; null where it is about more than one."""
    workload: str | None = None
    """The name of the workload; null where it is about none, or about all."""
    subject: str
    """What it is about, in a few words: the endpoint, the bucket, the alarm."""
    cause: str
    """What the change does, from what to what."""
    consequence: str
    """What then happens at the deployment or after it."""
    what_to_do: str
    """What to do before the change is deployed."""


class Grant(ReviewModel):
    """One element of the product of a statement: who may, or may not, do what on what under which condition."""

    effect: Literal["Allow", "Deny"]
    """Whether it allows or denies."""
    principal: str
    """Who: of an identity policy the role, user or group; of a resource policy the principal as it is written."""
    action: str
    """The pattern of actions; of NotAction not (a, b)."""
    resource: str
    """The pattern of resources; of NotResource not (a, b)."""
    condition: str = ""
    """Under which condition; empty where there is none."""


class IamChange(ReviewModel):
    """Grants that one side has and the other does not cover."""

    direction: Literal["broadened", "narrowed"]
    """Whether the grants are new (broadened) or gone (narrowed)."""
    environment: str
    """The name of the environment."""
    stack: str
    """The name of the stack."""
    workload: str | None = None
    """The name of the workload; null where it is about none, or about all."""
    policy: str
    """The role or the resource that the policy belongs to, as its path in the app."""
    grants: tuple[Grant, ...]
    """The grants that one side has and the other does not cover."""


class SecurityChange(ReviewModel):
    """Anything else that changes how well something is protected."""

    rule: str
    """The name of the rule: security-group-opened, encryption-lost, acknowledgement-added."""
    direction: Direction
    """Whether protection is weaker, stronger, or only different."""
    environment: str
    """The name of the environment."""
    stack: str
    """The name of the stack."""
    logical_id: str | None = None
    """The logical id of the resource; null where it is about more than one."""
    workload: str | None = None
    """The name of the workload; null where it is about none, or about all."""
    subject: str
    """What it is about, in a few words."""
    base: str
    """What base says, in one line."""
    head: str
    """What head says, in one line."""
    why: str
    """What it means, in one sentence."""


class Security(ReviewModel):
    """All of it, over all templates and nested stacks."""

    iam: tuple[IamChange, ...] = ()
    """The policies whose grants differ."""
    others: tuple[SecurityChange, ...] = ()
    """What else changes how well something is protected."""
    unchanged_grant_count: int = 0
    """The number of grants that both sides have."""


class Range(ReviewModel):
    """USD per month at the least, expected and the most capacity that the scaling bounds allow."""

    minimum: float | None
    """USD per month at the least capacity that scaling allows; null where it is unknown."""
    expected: float | None
    """USD per month at average load; null where it is unknown."""
    maximum: float | None
    """USD per month at the largest capacity that scaling allows; null where it is unknown."""


class CostComponent(ReviewModel):
    """One line of the bill."""

    service: str
    """The AWS service by its own name, such as SageMaker, KMS, CloudWatch, VPC."""
    name: str
    """What is paid for, such as ml.g5.2xlarge instances, customer-managed key, alarm."""
    quantity: str
    """How much of it is expected, in words with the unit, such as 2 instances, 1,460 hours; empty where unknown."""
    unit_price: str
    """The price of one unit in words, such as 1.515 USD per hour; empty where unknown."""
    usd_per_month: Range
    """What it costs, in USD per month."""
    basis: Literal["published", "estimated", "usage", "unknown"]
    """Where the amount comes from: a published price, an estimate, a published price of use that nothing states
    (usage), or nowhere (unknown)."""
    price_date: str | None = None
    """The date of the price, YYYY-MM-DD; null where the source states none."""


class CostSide(ReviewModel):
    """What one workload, or the foundation, costs on one side."""

    components: tuple[CostComponent, ...]
    """The lines of the bill."""
    usd_per_month: Range
    """The sum of what is known, in USD per month; null where nothing is."""
    usd_per_1000_requests: float | None = None
    """USD for 1,000 requests at average load; null for what serves no requests, or where the load is unknown."""


class WorkloadCost(ReviewModel):
    """One workload, the foundation, or a stack of another app."""

    environment: str
    """The name of the environment."""
    workload: str
    """The name of the workload; of what all workloads share, or of another app, the name of the stack."""
    base: CostSide | None
    """What it costs in base; null where base does not have it."""
    head: CostSide | None
    """What it costs in head; null where head does not have it."""
    difference: Range
    """Head less base in USD per month; null where the amount of something that changes is not known."""
    causes: tuple[str, ...] = ()
    """What moved the cost: another type, other bounds, another price of the same type."""
    once: tuple[CostComponent, ...] = ()
    """What is paid once, for the deployment of the change: the second fleet of a blue/green update."""


class EnvironmentCost(ReviewModel):
    """The bill of one environment."""

    environment: str
    """The name of the environment."""
    region: str | None
    """The AWS region of the environment; null where nothing says it."""
    base: Range | None
    """The bill of base in USD per month; null where base does not have the environment."""
    head: Range | None
    """The bill of head in USD per month; null where head does not have the environment."""
    difference: Range
    """Head less base, in USD per month; null where the amount of something that changes is not known."""
    difference_percent: float | None
    """The difference in percent of the expected amount of base; null where that is zero or unknown."""
    unknown_changes: tuple[str, ...] = ()
    """What changes and has no known amount, with its workload: a type or a mode without a price."""
    budget_usd_per_month: float | None = None
    """The budget of the policy of head in USD per month; null where there is none."""
    known_component_count: int = 0
    """The number of lines of head whose expected amount is known."""
    unknown: tuple[str, ...] = ()
    """The lines of head whose amount is not known, in words."""
    not_priced: tuple[str, ...] = ()
    """The resource types of head that cost money or may, and that have no price here."""
    price_dates: tuple[str, ...] = ()
    """The dates of the prices, sorted; undated where a source states none."""
    workloads: tuple[WorkloadCost, ...] = ()
    """What each workload costs: changed ones first, the largest difference first."""


class CandidatePoint(ReviewModel):
    """A feasible type, as the chart of cost against time shows it."""

    instance_type: str
    """The SageMaker instance type, such as ml.g5.xlarge."""
    usd_per_month: float | None
    """What the workload costs on it, in USD per month; null where a price is unknown."""
    time: float
    """The p95 latency at peak load in milliseconds of an endpoint, the duration in hours of a job, the hours of
    use in a month of a notebook."""


class PickSide(ReviewModel):
    """The choice of one side."""

    instance_type: str
    """The SageMaker instance type that was chosen."""
    instance_count: int
    """The instances at average load of an endpoint, the instances of a job."""
    usd_per_hour: float | None
    """The price of one instance in USD per hour; null where it is unknown."""
    usd_per_month: float | None
    """What the workload costs, in USD per month; null where it is unknown."""
    time: float | None
    """The p95 latency at peak load in milliseconds of an endpoint, the duration in hours of a job, the hours of
    use in a month of a notebook; null where the plan does not state it."""
    runner_up: str | None
    """The second-best feasible type; null where there is none, or the plan does not state it."""
    lock: Literal["unlocked", "locked", "stale", "infeasible"]
    """What selection.lock.yaml says of the workload: nothing, the same type, a type chosen for other needs, or a type
    that cannot be used."""


class SelectionChange(ReviewModel):
    """A workload whose choice, price or lock has changed."""

    environment: str
    """The name of the environment."""
    workload: str
    """The name of the workload."""
    kind: str
    """The kind of the workload, as in the plan."""
    time_of: Literal["latency", "duration"]
    """What the times of both sides and of candidates are: the p95 latency at peak load in milliseconds, or hours."""
    base: PickSide | None
    """The choice of base; null where base does not have the workload."""
    head: PickSide | None
    """The choice of head; null where head does not have the workload."""
    base_kind: str | None = None
    """The kind in base where the workload moves into another service; else null."""
    reasons: tuple[str, ...]
    """What made the difference, the decisive one first: a need, a price, a row of the catalog, the lock."""
    candidates: tuple[CandidatePoint, ...] = ()
    """The feasible types of head, the best first; at most forty."""


class Place(ReviewModel):
    """A line of a file of the configuration of head."""

    environment: str
    """The name of the environment."""
    file: str
    """The name of the file in the configuration directory, such as prod.yaml."""
    line: int
    """The line, from 1."""


class ConfigChange(ReviewModel):
    """One key whose value is another one."""

    key_path: str
    """The keys from the top to the value, with dots: workloads.assistant.scaling.min_instances."""
    change: Literal["added", "removed", "changed"]
    """Whether the key is new, gone, or has another value."""
    base: str
    """The value of base as YAML would write it in one line; empty where the key is not there."""
    head: str
    """The value of head as YAML would write it in one line; empty where the key is not there."""
    environments: tuple[str, ...]
    """The environments in which the key changes this way."""
    meaning: str = ""
    """What follows from it, such as: loses the second zone; empty where the values say it all."""
    places: tuple[Place, ...] = ()
    """Where the key is written, or the nearest key around it, by environment."""


class PropertyChange(ReviewModel):
    """One property that differs."""

    path: str
    """The keys from the resource to the value, with dots and positions of lists: ProductionVariants.0.InstanceType."""
    base: str
    """The value of base in one line, shortened where it is long; empty where the property is not there."""
    head: str
    """The value of head in one line, shortened where it is long; empty where the property is not there."""
    effect: Update
    """What the difference makes CloudFormation do: nothing (of DependsOn or DeletionPolicy), an update, or a
    replacement."""


class ResourceChange(ReviewModel):
    """One resource that is not the same on both sides."""

    environment: str
    """The name of the environment."""
    stack: str
    """The name of the stack."""
    logical_id: str
    """The logical id of the resource; of base where it is removed."""
    resource_type: str
    """The CloudFormation type, such as AWS::SageMaker::Endpoint."""
    path: str
    """The path of the construct; the logical id where the template does not say it."""
    action: Action
    """What CloudFormation does with the resource."""
    decided_by: tuple[str, ...] = ()
    """The properties that make it a replacement."""
    because_of: str | None = None
    """The resource whose replacement reaches this one, as stack/logical id; null where there is none."""
    stateful: bool = False
    """Whether it holds data or keys that are lost with it."""
    retained: bool = False
    """Whether its policies keep the old one, or a snapshot of it, when it is removed or replaced."""
    harmless: bool = False
    """Whether no property that differs has a known consequence, and of each it is known what its change means."""
    unknown: tuple[str, ...] = ()
    """The properties that differ of which nobody knows what their change means; (resource) is the whole of it."""
    properties: tuple[PropertyChange, ...] = ()
    """The properties that differ."""
    diff: str = ""
    """The lines of the normalised resource that differ, as a unified diff."""


class StackChange(ReviewModel):
    """A stack that one side does not have, or whose parameters, outputs or conditions differ."""

    environment: str
    """The name of the environment."""
    stack: str
    """The name of the stack."""
    action: Literal["added", "changed", "removed"]
    """Whether the stack is new, gone, or has other parameters, outputs or conditions."""
    resource_count: int
    """The number of resources of head; of base for a stack that is removed."""
    details: tuple[str, ...] = ()
    """What differs beside resources, one line each."""


class Resources(ReviewModel):
    """All of them, the most dangerous first."""

    changes: tuple[ResourceChange, ...] = ()
    """The resources that differ, the most dangerous change first."""
    stacks: tuple[StackChange, ...] = ()
    """The stacks that are new or gone, or that differ beside their resources."""
    unchanged_count: int = 0
    """The number of resources that are the same on both sides."""


#: Raised when the shape of the JSON changes, or what a value means. 2: a verdict is safe only where every change is known to
#: be harmless, and a difference of costs is null where a part of it is unknown. 3: a verdict may be "not known", a hazard has an
#: effect, and a resource names the properties of which nobody knows what they mean. 4: a gate has findings that are waived, a
#: review the approvals that it needs, and a change of the configuration the lines of its key.
SCHEMA_VERSION = 4


class Side(ReviewModel):
    """One saved output, or several, one for each environment."""

    label: str
    """What the user called it: a git ref, worktree or a directory."""
    environments: tuple[str, ...]
    """The names of the environments that were synthesized."""
    stack_count: int
    """The number of stacks, nested ones included."""
    files: tuple[Place, ...] = ()
    """The file of each environment, at its first line; empty where an app has no configuration."""
    catalog_versions: tuple[str, ...] = ()
    """Digests of the catalogs that the plans were made with: one, unless the plans come from several releases."""


class Note(ReviewModel):
    """What a reader must know about the review itself: what was left out, and why."""

    severity: Severity
    """How much it matters: danger, warning or notice."""
    environment: str | None = None
    """The name of the environment; null where it is about all."""
    workload: str | None = None
    """The name of the workload; null where it is about a whole side."""
    text: str
    """What was left out, and why, in one sentence."""
    detail: str = ""
    """More of it in several lines, such as the errors of a side that does not synthesize; empty where there is no
    more."""


Level = Literal["no change", "safe", "nothing found", "not known", "look", "danger"]
"""How carefully to look, the least first."""


class Verdict(ReviewModel):
    """What the reader needs before anything else."""

    level: Level
    """safe: every change is known to be harmless; nothing found: what every change does is known, and nothing of it
    is worse, but costs or choices move; not known: nobody knows what some changes do; look: read what was found;
    danger: do not approve before you understood it."""
    sentence: str
    """The reason, in one sentence."""


class GateFailure(ReviewModel):
    """A condition of the gate that the change meets."""

    condition: str
    """The condition as it was written, such as cost-increase>10%."""
    reason: str
    """What of the change meets the condition."""


class WaivedFinding(ReviewModel):
    """A finding that meets a condition and does not stop the change."""

    condition: str
    """The condition as it was written, such as replace-stateful@prod."""
    finding: str
    """What of the change meets the condition."""
    reason: str
    """Why it is accepted, as the policy of base says."""
    until: str
    """The last day on which it is, YYYY-MM-DD."""


class Approval(ReviewModel):
    """An approval that the change needs, as the policy of base says."""

    condition: str
    """The condition that the findings meet, such as replace-stateful@prod."""
    by: tuple[str, ...]
    """The users and teams who must approve, each of them; a team has a slash in its name."""
    findings: tuple[str, ...]
    """What of the change meets the condition."""


class Gate(ReviewModel):
    """The conditions, and those that stop the change."""

    conditions: tuple[str, ...]
    """All conditions, of the command line and of the policies."""
    failures: tuple[GateFailure, ...]
    """The conditions that stop the change."""
    waived: tuple[WaivedFinding, ...] = ()
    """The findings that stop nothing, because the policy of base waives them."""


class Review(ReviewModel):
    """What a change does; the sections stand in the order in which they are read, danger first."""

    schema_version: int = SCHEMA_VERSION
    """The version of this form of JSON, raised when its shape changes."""
    base: Side | None
    """What is compared against; null where base does not synthesize, and head is reviewed alone."""
    head: Side
    """What is reviewed."""
    verdict: Verdict
    """The answer in one line."""
    gate: Gate | None = None
    """The conditions that stop a change, and those that it meets; null where there are none."""
    approvals: tuple[Approval, ...] = ()
    """Who must approve the change, as the policies of base say."""
    notes: tuple[Note, ...] = ()
    """What could not be compared, and why."""
    hazards: tuple[Hazard, ...] = ()
    """What can go wrong at the deployment: dangers first, then warnings, then notices; production first."""
    security: Security = Security()
    """What changes in permissions, reachability and encryption."""
    cost: tuple[EnvironmentCost, ...] = ()
    """The bill of each environment."""
    selection: tuple[SelectionChange, ...] = ()
    """The workloads whose instance type, price or lock has changed, with the reasons."""
    config: tuple[ConfigChange, ...] = ()
    """The keys of the configuration that have changed."""
    resources: Resources = Resources()
    """What CloudFormation will do with each resource."""
