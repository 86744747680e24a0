"""Tells people of an endpoint that has failed, or is left between two fleets: no metric that an alarm could watch says so."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from aws_cdk import RemovalPolicy, Stack
from aws_cdk import aws_events as events
from constructs import Construct

from constructs_lib.alarms.count_alarm import alarm_on_count
from constructs_lib.notifications.dead_letters import dead_letter_queue, messages_of, sent_by_rules
from constructs_lib.notifications.event_rule import ToldEvents, tell_of_events, to_input
from constructs_lib.notifications.message import message
from constructs_lib.policies.statements import allow, service_role
from constructs_lib.policies.wildcards import acknowledge_wildcards

_PATHS = {"name": "$.detail.EndpointName", "status": "$.detail.EndpointStatus"}
_TITLE = "Endpoint <name> is <status>"
_DESCRIPTION = (
    "FAILED: the endpoint answers no request, and can only be deleted. UPDATE_ROLLBACK_FAILED: a rolling update failed, and its "
    "rollback as well; instances of both models answer."
)
_NEXT_STEP = "Read the failure reason: aws sagemaker describe-endpoint --endpoint-name <name>"

#: A severity of 2 is high; the text of ``dedupString`` keeps a second OpsItem away.
_OPS_ITEM: Mapping[str, object] = {
    "title": _TITLE,
    "description": f"{_DESCRIPTION} {_NEXT_STEP}",
    "category": "Availability",
    "severity": "2",
    "source": "SageMaker",
    "operationalData": {
        "/aws/dedup": {"type": "SearchableString", "value": '{"dedupString":"<name>"}'},
        "endpointName": {"type": "SearchableString", "value": "<name>"},
    },
}


@dataclass(frozen=True, kw_only=True)
class EndpointFailuresProps:
    """What the names of the endpoints match, with stars for any text; ``alarm_topic_arn`` hears of them.

    ``ops_items`` opens an OpsItem for each endpoint that fails as well. ``removal_policy`` says what becomes of the queue of lost
    messages when the stack goes.
    """

    endpoint_name_wildcard: str
    alarm_topic_arn: str
    operations_key_arn: str
    removal_policy: RemovalPolicy
    ops_items: bool = False


class EndpointFailures(Construct):
    """One rule for all endpoints of an environment, and an alarm while messages of the rule are lost.

    A message is lost where the policy of a topic, or its key, does not let EventBridge publish; alarms then still may.

    Event: "SageMaker endpoint state change",
    https://docs.aws.amazon.com/sagemaker/latest/dg/automating-sagemaker-with-eventbridge.html; statuses: API reference,
    DescribeEndpoint, which events write in capitals. ``UpdateRollbackFailed`` is of rolling updates: "both the rolling deployment
    and auto-rollback failed. Your endpoint is in service with a mix of the old and new endpoint configurations".
    """

    def __init__(self, scope: Construct, construct_id: str, *, props: EndpointFailuresProps) -> None:
        super().__init__(scope, construct_id)
        queue = dead_letter_queue(
            self, props.operations_key_arn, props.removal_policy, (sent_by_rules(Stack.of(self).account),)
        )
        tell_of_events(
            self,
            "Rule",
            ToldEvents(
                description=f"Tells that an endpoint {props.endpoint_name_wildcard} has failed, or its rollback has",
                pattern={
                    "source": ["aws.sagemaker"],
                    "detail-type": ["SageMaker Endpoint State Change"],
                    "detail": {
                        "EndpointName": [_matching(props.endpoint_name_wildcard)],
                        "EndpointStatus": ["FAILED", "UPDATE_ROLLBACK_FAILED"],
                    },
                },
                paths=_PATHS,
                told=message(
                    _TITLE,
                    _DESCRIPTION,
                    next_step=_NEXT_STEP,
                    context={"endpointName": "<name>", "endpointStatus": "<status>"},
                ),
            ),
            alarm_topic_arn=props.alarm_topic_arn,
            dead_letter_queue_arn=queue.attr_arn,
            more_targets=(self._ops_item_target(),) if props.ops_items else (),
        )
        alarm_on_count(
            self,
            "MessagesLost",
            description="The alarm topic did not take the message that an endpoint failed: read it in the queue, and see who may "
            "publish to the topic and use its key",
            count=messages_of(queue.attr_queue_name),
            alarm_topic_arn=props.alarm_topic_arn,
        )

    def _ops_item_target(self) -> events.CfnRule.TargetProperty:
        """Return OpsCenter, which opens one OpsItem for an endpoint, and none while that is open.

        The input is that of AWS's own rules:
        https://docs.aws.amazon.com/systems-manager/latest/userguide/OpsCenter-automatically-create-OpsItems-2.html.
        """
        stack = Stack.of(self)
        role = service_role(self, "OpsItemRole", "events.amazonaws.com", [allow(("ssm:CreateOpsItem",), "*")])
        acknowledge_wildcards(
            self.node.find_child("OpsItemRolePolicy"),
            ("*", "An OpsItem has no ARN before it is created: CreateOpsItem takes any."),
        )
        return events.CfnRule.TargetProperty(
            id="OpsItem",
            arn=f"arn:{stack.partition}:ssm:{stack.region}:{stack.account}:opsitem",
            role_arn=role.attr_arn,
            input_transformer=to_input(_PATHS, _OPS_ITEM),
        )


def _matching(wildcard: str) -> dict[str, str]:
    """Return the comparison of EventBridge; a star at the end alone is what it calls a prefix, and it takes no two in a row.

    https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-create-pattern-operators.html
    """
    wildcard = re.sub(r"\*+", "*", wildcard)
    if wildcard.find("*") == len(wildcard) - 1:
        return {"prefix": wildcard.removesuffix("*")}
    return {"wildcard": wildcard}
