"""Security groups and their rules, as EC2 lists them: rule by rule, whoever made them."""

from typing import Any

from tests.integration.readers.common import ClientFactory, Properties, present, user_tags

GROUP_MEMBER = {False: "SourceSecurityGroupId", True: "DestinationSecurityGroupId"}


def rules_of(client: ClientFactory, group_id: str, *, egress: bool) -> list[Properties]:
    """Return the rules of one direction."""
    answer = client("ec2").describe_security_group_rules(Filters=[{"Name": "group-id", "Values": [group_id]}])
    return [_rule(rule) for rule in answer["SecurityGroupRules"] if rule["IsEgress"] is egress]


def _rule(found: dict[str, Any]) -> Properties:
    every_port = found["IpProtocol"] == "-1"
    return present(
        IpProtocol=found["IpProtocol"],
        FromPort=None if every_port else found["FromPort"],
        ToPort=None if every_port else found["ToPort"],
        CidrIp=found.get("CidrIpv4"),
        CidrIpv6=found.get("CidrIpv6"),
        Description=found.get("Description"),
    ) | present(**{GROUP_MEMBER[found["IsEgress"]]: found.get("ReferencedGroupInfo", {}).get("GroupId")})


def _without_groups(rules: list[Properties]) -> list[Properties]:
    """Leave out the rules that name a group: they are resources of their own."""
    return [rule for rule in rules if not set(GROUP_MEMBER.values()) & set(rule)]


def read_group(client: ClientFactory, physical_id: str, properties: Properties) -> Properties:
    (found,) = client("ec2").describe_security_groups(GroupIds=[physical_id])["SecurityGroups"]
    return present(
        GroupDescription=found["Description"],
        VpcId=found["VpcId"],
        SecurityGroupIngress=_without_groups(rules_of(client, physical_id, egress=False)),
        SecurityGroupEgress=_without_groups(rules_of(client, physical_id, egress=True)),
        Tags=user_tags(found["Tags"]),
    )


def read_ingress_rule(client: ClientFactory, physical_id: str, properties: Properties) -> Properties:
    return _only_group_rule(client, properties["GroupId"], egress=False)


def read_egress_rule(client: ClientFactory, physical_id: str, properties: Properties) -> Properties:
    return _only_group_rule(client, properties["GroupId"], egress=True)


def _only_group_rule(client: ClientFactory, group_id: str, *, egress: bool) -> Properties:
    (rule,) = (
        rule for rule in rules_of(client, group_id, egress=egress) if set(GROUP_MEMBER.values()) & set(rule)
    )
    return rule | {"GroupId": group_id}


def read_closed_default_group(client: ClientFactory, physical_id: str, properties: Properties) -> Properties:
    """Read the group that the custom resource closed: open, it is not the one that was asked for."""
    (found,) = client("ec2").describe_security_groups(GroupIds=[physical_id])["SecurityGroups"]
    rules = [rule for egress in (False, True) for rule in rules_of(client, physical_id, egress=egress)]
    if found["GroupName"] != "default" or rules:
        return {"DefaultSecurityGroupId": f"{found['GroupName']} with rules {rules}"}
    return {"DefaultSecurityGroupId": found["GroupId"]}
