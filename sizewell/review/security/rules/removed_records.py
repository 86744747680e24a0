"""Resources that record or watch, and are no longer there."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from sizewell.review.model import SecurityChange
from sizewell.review.security.rule import StackChange, stack_rule
from sizewell.templates.alternatives import texts
from sizewell.templates.iam.sources import Policies
from sizewell.templates.template import Resource


@dataclass(frozen=True)
class Watcher:
    """A type of resource that watches others."""

    rule: str
    watched: str | None
    """The property that says what; None where it is the whole account."""
    why: str


_WATCHERS = {
    "AWS::EC2::FlowLog": Watcher("flow-log", "ResourceId", "No flow log shows the connections any more."),
    "AWS::CloudTrail::Trail": Watcher("trail", None, "Calls to AWS are no longer recorded."),
    "AWS::CloudTrail::EventDataStore": Watcher("event-data-store", None, "Its events are no longer kept."),
    "AWS::Config::ConfigurationRecorder": Watcher(
        "configuration-recorder", None, "Changes of resources are no longer recorded."
    ),
    "AWS::GuardDuty::Detector": Watcher("threat-detector", None, "GuardDuty no longer looks for threats."),
    "AWS::SecurityHub::Hub": Watcher("security-hub", None, "Findings are no longer collected."),
    "AWS::WAFv2::WebACLAssociation": Watcher(
        "web-acl", "ResourceArn", "Requests reach it without an inspection."
    ),
}


@stack_rule
def removed_records(stack: StackChange) -> Iterator[SecurityChange]:
    """Yield what is no longer watched though it is still there; and what was there before and is watched now."""
    for resource_type, watcher in _WATCHERS.items():
        if not any(stack.changed_of(resource_type)):
            continue
        before, after = (_watched(side, resource_type, watcher) for side in (stack.base, stack.head))
        for subject in sorted(before.keys() - after.keys()):
            if not stack.is_gone(subject):
                yield stack.change(
                    f"{watcher.rule}-removed",
                    "weaker",
                    before[subject].logical_id,
                    subject=stack.path(subject) if subject else "",
                    base=before[subject].path,
                    head="none",
                    why=watcher.why,
                )
        for subject in sorted(after.keys() - before.keys()):
            if not stack.is_new(subject) and stack.base:
                yield stack.change(
                    f"{watcher.rule}-added",
                    "stronger",
                    after[subject].logical_id,
                    subject=stack.path(subject) if subject else "",
                    base="none",
                    head=after[subject].path,
                    why="It was not recorded or inspected before.",
                )


def _watched(
    resources: Mapping[str, Resource], resource_type: str, watcher: Watcher
) -> Mapping[str, Resource]:
    """Return the watchers by what they watch, empty for the account."""
    names = Policies(resources)
    found: dict[str, Resource] = {}
    for resource in resources.values():
        if resource.resource_type == resource_type:
            watched = texts(resource.properties.get(watcher.watched)) if watcher.watched else ("",)
            for name in watched:
                found.setdefault(names.owner(name), resource)
    return found
