"""Rules, as EventBridge describes them."""

import json

from tests.integration.readers.common import ClientFactory, Properties, present, user_tags


def read_rule(client: ClientFactory, physical_id: str, properties: Properties) -> Properties:
    api = client("events")
    found = api.describe_rule(Name=physical_id.rpartition("/")[2])
    return present(
        Name=found["Name"],
        Description=found.get("Description"),
        EventPattern=json.loads(found["EventPattern"]) if "EventPattern" in found else None,
        ScheduleExpression=found.get("ScheduleExpression"),
        State=found["State"],
        Targets=api.list_targets_by_rule(Rule=found["Name"])["Targets"],
        Tags=user_tags(api.list_tags_for_resource(ResourceARN=found["Arn"])["Tags"]),
    )
