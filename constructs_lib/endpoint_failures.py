"""Tells people of an endpoint that has failed: such a fleet publishes no metric that an alarm could watch."""

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
    https://docs.aws.amazon.com/sagemaker/latest/dg/automating-sagemaker-with-eventbridge.html
    """

    def __init__(self, scope: Construct, construct_id: str, *, props: EndpointFailuresProps) -> None:
        super().__init__(scope, construct_id)
        events.CfnRule(
            self,
            "Rule",
            description=f"Tells that an endpoint {props.endpoint_name_wildcard} has failed",
            event_pattern={
                "source": ["aws.sagemaker"],
                "detail-type": ["SageMaker Endpoint State Change"],
                "detail": {
                    "EndpointName": [_matching(props.endpoint_name_wildcard)],
                    "EndpointStatus": ["FAILED"],
                },
            },
            targets=[
                events.CfnRule.TargetProperty(
                    id="AlarmTopic",
                    arn=props.alarm_topic_arn,
                    input_transformer=events.CfnRule.InputTransformerProperty(
                        input_paths_map={"name": "$.detail.EndpointName"},
                        input_template=(
                            '"Endpoint <name> has failed: it answers nobody, and SageMaker only deletes it. Its failure reason: '
                            'aws sagemaker describe-endpoint --endpoint-name <name>"'
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
