"""Tells people of an endpoint that has failed, or is left between two fleets: no metric that an alarm could watch says so."""

import re
from dataclasses import dataclass

from aws_cdk import aws_events as events
from constructs import Construct


@dataclass(frozen=True, kw_only=True)
class EndpointFailuresProps:
    """What the names of the endpoints match, with stars for any text; ``alarm_topic_arn`` hears of them."""

    endpoint_name_wildcard: str
    alarm_topic_arn: str


class EndpointFailures(Construct):
    """One rule for all endpoints of an environment.

    Event: "SageMaker endpoint state change",
    https://docs.aws.amazon.com/sagemaker/latest/dg/automating-sagemaker-with-eventbridge.html; statuses: API reference,
    DescribeEndpoint, which events write in capitals. ``UpdateRollbackFailed`` is of rolling updates: "both the rolling deployment
    and auto-rollback failed. Your endpoint is in service with a mix of the old and new endpoint configurations".
    """

    def __init__(self, scope: Construct, construct_id: str, *, props: EndpointFailuresProps) -> None:
        super().__init__(scope, construct_id)
        events.CfnRule(
            self,
            "Rule",
            description=f"Tells that an endpoint {props.endpoint_name_wildcard} has failed, or did not come back from an update",
            event_pattern={
                "source": ["aws.sagemaker"],
                "detail-type": ["SageMaker Endpoint State Change"],
                "detail": {
                    "EndpointName": [_matching(props.endpoint_name_wildcard)],
                    "EndpointStatus": ["FAILED", "UPDATE_ROLLBACK_FAILED"],
                },
            },
            targets=[
                events.CfnRule.TargetProperty(
                    id="AlarmTopic",
                    arn=props.alarm_topic_arn,
                    input_transformer=events.CfnRule.InputTransformerProperty(
                        input_paths_map={
                            "name": "$.detail.EndpointName",
                            "status": "$.detail.EndpointStatus",
                        },
                        input_template=(
                            '"Endpoint <name> is <status>. FAILED: it answers nobody, and SageMaker only deletes it. '
                            "UPDATE_ROLLBACK_FAILED: a rolling update and the way back both failed, and instances of both models "
                            'answer. Its failure reason: aws sagemaker describe-endpoint --endpoint-name <name>"'
                        ),
                    ),
                )
            ],
        )


def _matching(wildcard: str) -> dict[str, str]:
    """Return the comparison of EventBridge; a star at the end alone is what it calls a prefix, and it takes no two in a row.

    https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-create-pattern-operators.html
    """
    wildcard = re.sub(r"\*+", "*", wildcard)
    if wildcard.find("*") == len(wildcard) - 1:
        return {"prefix": wildcard.removesuffix("*")}
    return {"wildcard": wildcard}
