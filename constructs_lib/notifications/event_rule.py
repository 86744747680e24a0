"""A rule of EventBridge that tells the alarm topic of an event."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from aws_cdk import aws_events as events
from constructs import Construct

from constructs_lib.notifications.message import Message


@dataclass(frozen=True, kw_only=True)
class ToldEvents:
    """``pattern`` says which events people hear of, and ``told`` what they hear.

    A text of ``told`` may name a value of the event as ``<name>``, which ``paths`` finds: only names, statuses and ARNs, because
    EventBridge escapes nothing inside of a text
    (https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-transform-target-input.html).
    """

    description: str
    pattern: Mapping[str, object]
    paths: Mapping[str, str]
    told: Message


def tell_of_events(
    scope: Construct,
    construct_id: str,
    told: ToldEvents,
    *,
    alarm_topic_arn: str,
    dead_letter_queue_arn: str | None = None,
    more_targets: Sequence[events.CfnRule.TargetProperty] = (),
) -> None:
    """Add the rule; the queue gets what the topic did not take for a day."""
    dead_letters = None
    if dead_letter_queue_arn is not None:
        dead_letters = events.CfnRule.DeadLetterConfigProperty(arn=dead_letter_queue_arn)
    topic = events.CfnRule.TargetProperty(
        id="AlarmTopic",
        arn=alarm_topic_arn,
        input_transformer=to_input(told.paths, told.told),
        dead_letter_config=dead_letters,
    )
    events.CfnRule(
        scope,
        construct_id,
        description=told.description,
        event_pattern=told.pattern,
        targets=[topic, *more_targets],
    )


def to_input(
    paths: Mapping[str, str], template: Mapping[str, object]
) -> events.CfnRule.InputTransformerProperty:
    """Return what a target gets in place of an event."""
    return events.CfnRule.InputTransformerProperty(
        input_paths_map=dict(paths), input_template=json.dumps(template)
    )
