"""Notifications that stop without an error."""

from collections.abc import Iterator

from sizewell.review.hazards.rule import Environment, Found, hazard_rule
from sizewell.review.words import listed, moved, shown
from sizewell.templates.differences import differences
from sizewell.templates.same import has_the_same
from sizewell.templates.template import Difference, Resource
from sizewell.templates.values import mapping, maps

EVENT_RULE = "AWS::Events::Rule"
#: By resource type, where its policy stands.
_POLICIES = {"AWS::SNS::TopicPolicy": "PolicyDocument", "AWS::KMS::Key": "KeyPolicy"}
#: Services that publish, or write logs, without anybody who could be told that it is refused:
#: https://docs.aws.amazon.com/sns/latest/dg/sns-key-management.html (event sources),
#: https://docs.aws.amazon.com/step-functions/latest/dg/encryption-at-rest.html (CloudWatch Logs)
_SILENT = {
    "cloudwatch.amazonaws.com": "alarms",
    "delivery.logs.amazonaws.com": "logs of state machines",
    "events.amazonaws.com": "rules of EventBridge",
}


@hazard_rule("alerting")
def event_rule_silenced(environment: Environment) -> Iterator[Found]:
    """An EventBridge rule delivers fewer events or none: it is removed, disabled, or has other targets or another pattern."""
    for pair in environment.diff.resources(EVENT_RULE):
        base, head = pair.base, pair.head
        if base is None or base is head or pair.stack.head is None or pair.place in environment.diff.moved:
            continue
        if "EventPattern" not in base.properties or base.properties.get("State") == "DISABLED":
            continue
        if head is None and has_the_same(
            pair.stack, base, ("EventPattern", "Targets", "State", "EventBusName")
        ):
            continue
        silent = _why_silent(head)
        causes = [silent] if silent else _what_is_left_out(base, head) if head else []
        if causes:
            yield Found(
                "danger" if environment.production and silent else "warning",
                pair.stack.name,
                pair.logical_id,
                f"rule {base.path}",
                "; ".join(causes),
                "These events no longer notify anybody or start anything, and no error shows it."
                if silent
                else (
                    "The rule delivers other events, or delivers them to other targets. Former recipients may miss events, "
                    "and no error shows it."
                ),
                "Keep the rule, or make sure that another rule delivers these events.",
            )


def _why_silent(head: Resource | None) -> str:
    if head is None or head.resource_type != EVENT_RULE:
        return "the rule → none"
    if head.properties.get("State") == "DISABLED":
        return "State ENABLED → DISABLED"
    return "" if head.properties.get("Targets") else "Targets → none"


def _what_is_left_out(base: Resource, head: Resource) -> list[str]:
    before, after = (
        {shown(target.get("Arn")) for _, target in maps(side.properties.get("Targets"))}
        for side in (base, head)
    )
    lost = [f"Targets {listed(sorted(before))} → {listed(sorted(after))}"] if before - after else []
    before_pattern, after_pattern = (mapping(side.properties.get("EventPattern")) for side in (base, head))
    changed = differences(before_pattern, after_pattern, ("EventPattern",))
    return lost + [
        f"{change.shown_path} {moved(change.base, change.head)}" for change in changed if _narrows(change)
    ]


def _narrows(change: Difference) -> bool:
    """Tell whether a pattern matches less: a value more in a list or a shorter prefix admits more, a key more demands more."""
    if change.path[-1:] == ("prefix",) and isinstance(change.base, str) and isinstance(change.head, str):
        return not change.base.startswith(change.head)
    if isinstance(change.base, list) and isinstance(change.head, list):
        return not {shown(item) for item in change.base} <= {shown(item) for item in change.head}
    is_in_list = change.schema_path[-1:] == ("*",)
    return (change.base is not None) if is_in_list else (change.head is not None)


@hazard_rule("alerting")
def publisher_refused(environment: Environment) -> Iterator[Found]:
    """A topic or a key no longer allows a service that fails silently without it."""
    for resource_type, key in _POLICIES.items():
        for stack, base, head in environment.diff.kept(resource_type):
            lost = _admitted(base, key) - _admitted(head, key)
            if lost:
                yield Found(
                    "danger" if environment.production else "warning",
                    stack,
                    head.logical_id,
                    f"policy of {head.path}",
                    f"allows {listed(sorted(lost))} → no longer",
                    "These no longer reach anybody, and no error shows it: "
                    f"{listed(sorted(_SILENT[service] for service in lost))}.",
                    "Keep the statement as long as anything in the account uses the topic or the key.",
                )


def _admitted(resource: Resource, key: str) -> frozenset[str]:
    """Return the services of ``_SILENT`` that a policy allows anything."""
    found = set()
    for _, statement in maps(mapping(resource.properties.get(key)).get("Statement")):
        services = mapping(statement.get("Principal")).get("Service")
        if statement.get("Effect") == "Allow":
            found |= set(services if isinstance(services, list) else [str(services)])
    return frozenset(found & _SILENT.keys())
