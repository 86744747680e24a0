"""The events that SageMaker sends to EventBridge.

Shapes: https://docs.aws.amazon.com/sagemaker/latest/dg/automating-sagemaker-with-eventbridge.html
"""

import json
from typing import Any

from ministack.services import eventbridge


def put_event(detail_type: str, resource_arn: str, detail: dict[str, Any]) -> None:
    """Put an event of SageMaker on the default bus."""
    eventbridge._put_events(
        {
            "Entries": [
                {
                    "Source": "aws.sagemaker",
                    "DetailType": detail_type,
                    "Detail": json.dumps(detail, default=str),
                    "Resources": [resource_arn],
                }
            ]
        },
        allow_aws_source=True,
    )
