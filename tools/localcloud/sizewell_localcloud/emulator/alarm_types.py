"""CloudWatch's composite alarms, which ministack's CloudFormation lacks."""

import json

from ministack.services import cloudwatch

from sizewell_localcloud.emulator.cloudformation import Created
from sizewell_localcloud.emulator.errors import AwsError
from sizewell_localcloud.emulator.resource_schemas import Properties


class _CompositeAlarm:
    """An alarm on other alarms; its id is its name."""

    type_name = "AWS::CloudWatch::CompositeAlarm"
    name_property = "AlarmName"
    blocks = False

    def create(self, logical_id: str, properties: Properties, stack_name: str) -> Created:
        """Create it; an alarm of its rule that is not there is an error."""
        return self._put(properties)

    def update(self, physical_id: str, old: Properties, new: Properties, stack_name: str) -> Created:
        """Change it in place."""
        return self._put(new)

    def delete(self, physical_id: str, properties: Properties) -> None:
        """Delete it, unless it is gone."""
        cloudwatch._composite_alarms.pop(physical_id, None)

    def _put(self, properties: Properties) -> Created:
        # Tags of CloudFormation itself are refused of anybody else, and an update keeps those that are there.
        tags = {tag["Key"]: tag["Value"] for tag in properties.get("Tags", [])}
        request = {name: value for name, value in properties.items() if name != "Tags"}
        status, _, body = cloudwatch._put_composite_alarm({}, request, False, is_json=True)
        if status != 200:
            answer = json.loads(body)
            raise AwsError(answer["__type"], answer["message"])
        name = properties["AlarmName"]
        alarm_arn = cloudwatch._composite_alarms[name]["AlarmArn"]
        cloudwatch._resource_tags[alarm_arn] = tags
        return name, {"Arn": alarm_arn}


ALARM_TYPES = [_CompositeAlarm()]
