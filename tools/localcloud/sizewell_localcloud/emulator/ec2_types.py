"""Network types that ministack's CloudFormation lacks: single security group rules and flow logs."""

import secrets

from ministack.services import cloudwatch_logs, ec2, iam
from ministack.services.cloudformation import provisioners

from sizewell_localcloud.emulator import clock
from sizewell_localcloud.emulator.cloudformation import Created
from sizewell_localcloud.emulator.errors import ValidationError
from sizewell_localcloud.emulator.resource_schemas import Properties


class _Rule:
    """One rule of a security group; all of its properties but the description replace."""

    name_property = None
    blocks = False

    def __init__(self, direction: str, store: str) -> None:
        self.type_name = f"AWS::EC2::SecurityGroup{direction}"
        self._store = store

    def create(self, logical_id: str, properties: Properties, stack_name: str) -> Created:
        """Add the rule to its group."""
        rule = self._rule(properties)
        rules = self._rules(properties["GroupId"])
        if rule in rules:
            raise ValidationError("The specified rule already exists in the security group")
        rules.append(rule)
        rule_id = f"sgr-{secrets.token_hex(8)}"
        return rule_id, {"Id": rule_id}

    def update(self, physical_id: str, old: Properties, new: Properties, stack_name: str) -> Created:
        """Change the description."""
        rules = self._rules(new["GroupId"])
        rules[rules.index(self._rule(old))] = self._rule(new)
        return physical_id, {"Id": physical_id}

    def delete(self, physical_id: str, properties: Properties) -> None:
        """Take the rule away; the group may be gone."""
        group = ec2._security_groups.get(properties["GroupId"])
        rule = self._rule(properties)
        if group is not None and rule in group[self._store]:
            group[self._store].remove(rule)

    def _rules(self, group_id: str) -> list[dict[str, object]]:
        group = ec2._security_groups.get(group_id)
        if group is None:
            raise ValidationError(f"The security group '{group_id}' does not exist")
        rules: list[dict[str, object]] = group.setdefault(self._store, [])
        return rules

    def _rule(self, properties: Properties) -> dict[str, object]:
        rule: dict[str, object] = provisioners._ec2_sg_permissions([properties])[0]
        return rule


class _FlowLog:
    """A flow log to CloudWatch Logs: its log group and its role must exist."""

    type_name = "AWS::EC2::FlowLog"
    name_property = None
    blocks = False

    def create(self, logical_id: str, properties: Properties, stack_name: str) -> Created:
        """Begin to log."""
        resource_id = properties["ResourceId"]
        if properties["ResourceType"] == "VPC" and resource_id not in ec2._vpcs:
            raise ValidationError(f"The vpc ID '{resource_id}' does not exist")
        role_arn = properties.get("DeliverLogsPermissionArn")
        if role_arn is not None and role_arn.rpartition("/")[2] not in iam._roles:
            raise ValidationError(f"The role {role_arn} does not exist")
        group = (
            properties.get("LogGroupName")
            or properties.get("LogDestination", "").removesuffix(":*").rpartition(":")[2]
        )
        if group not in cloudwatch_logs._log_groups:
            raise ValidationError(f"The log group {group} does not exist")
        flow_log_id = f"fl-{secrets.token_hex(8)}1"
        ec2._flow_logs[flow_log_id] = {
            "FlowLogId": flow_log_id,
            "ResourceId": resource_id,
            "ResourceType": properties["ResourceType"],
            "TrafficType": properties.get("TrafficType", "ALL"),
            "LogDestinationType": properties.get("LogDestinationType", "cloud-watch-logs"),
            "LogDestination": group,
            "FlowLogStatus": "ACTIVE",
            "CreationTime": int(clock.now()),
        }
        self._tag(flow_log_id, properties)
        return flow_log_id, {"Id": flow_log_id}

    def update(self, physical_id: str, old: Properties, new: Properties, stack_name: str) -> Created:
        """Change the tags."""
        self._tag(physical_id, new)
        return physical_id, {"Id": physical_id}

    def delete(self, physical_id: str, properties: Properties) -> None:
        """Stop logging."""
        ec2._flow_logs.pop(physical_id, None)
        ec2._tags.pop(physical_id, None)

    def _tag(self, flow_log_id: str, properties: Properties) -> None:
        ec2._tags[flow_log_id] = list(properties.get("Tags") or [])


EC2_TYPES = [_Rule("Ingress", "IpPermissions"), _Rule("Egress", "IpPermissionsEgress"), _FlowLog()]
