"""Schedules, as EventBridge Scheduler describes them."""

from tests.integration.readers.common import ClientFactory, Properties, picked

MEMBERS = ("FlexibleTimeWindow", "ScheduleExpression", "ScheduleExpressionTimezone", "State", "Target")


def read_schedule(client: ClientFactory, physical_id: str, properties: Properties) -> Properties:
    return picked(client("scheduler").get_schedule(Name=physical_id), *MEMBERS)
