"""A network that is found by its tags: what CDK asks AWS for it, and the answer that ``cdk.context.json`` keeps.

The CDK CLI asks, writes the answer down, and starts the app again: https://docs.aws.amazon.com/cdk/v2/guide/context.html.
Plans read the answer under the key that CDK gives it, so nothing here needs the kernel of CDK.
"""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ValidationError
from pydantic.alias_generators import to_camel

from sizewell.config import ConfigError, Fault
from sizewell.config.environment import Environment
from sizewell.config.network import LookupNetwork
from sizewell.config.rules import zone_violations
from sizewell.planning.bootstrap import plan_bootstrap
from sizewell.planning.errors import PlanError, PlanFault
from sizewell.planning.foundation_plan_model import NetworkLookup

#: What was looked up, by the key of the question; CDK keeps feature flags and anything else beside it.
Context = Mapping[str, Any]
#: Where the CDK CLI writes it, beside cdk.json.
CONTEXT_FILE = Path("cdk.context.json")
_PROVIDER = "vpc-provider"
#: What the CDK CLI puts in the place of an answer that it could not get, and never writes down.
_PROVIDER_ERROR = "$providerError"
_SUBNET_TAG = ("network", "subnet_tag")
_VPC_TAGS = ("network", "vpc_tags")


class NotLookedUpError(PlanError):
    """Nobody has looked a network up, and nothing else is wrong; ``lookup`` is the first of them."""

    def __init__(self, lookup: NetworkLookup, *faults: PlanFault) -> None:
        super().__init__(faults)
        self.lookup = lookup


class _Answer(BaseModel, alias_generator=to_camel):
    """What the provider answers, as far as we read it."""

    vpc_id: str
    subnet_groups: tuple["_SubnetGroup", ...]


class _SubnetGroup(BaseModel, alias_generator=to_camel):
    name: str
    type: Literal["Public", "Private", "Isolated"]
    """Public has a route to an internet gateway; the others differ in whether they have one to a NAT or transit gateway."""
    subnets: tuple["_Subnet", ...]


class _Subnet(BaseModel, alias_generator=to_camel):
    subnet_id: str
    availability_zone: str


def network_lookup(environment: Environment, network: LookupNetwork) -> NetworkLookup:
    """Return the question for the network of an environment: subnets in groups by the value of a tag, no VPN gateways."""
    (tag_key,) = network.subnet_tag
    where = {"account": environment.policy.account, "region": environment.policy.region}
    props = {
        "filter": {f"tag:{key}": value for key, value in network.vpc_tags.items()},
        "returnAsymmetricSubnets": True,
        "returnVpnGateways": False,
        "subnetGroupNameTag": tag_key,
    }
    return NetworkLookup(
        **where,
        provider=_PROVIDER,
        props=props,
        # As ContextProvider.getKey of aws-cdk-lib writes it.
        key=":".join((_PROVIDER, *sorted(_parts({**where, **props})))),
        bootstrap=plan_bootstrap(environment.bootstrap),
    )


def found_network(
    environment: Environment, network: LookupNetwork, context: Context
) -> tuple[str, tuple[str, ...]]:
    """Return the id of the VPC and those of its private subnets with the tag, by zone.

    Raises ``NotLookedUpError`` without an answer, and ``PlanError`` where it is not what the environment needs.
    """
    lookup = network_lookup(environment, network)
    answer = _answer(lookup, environment, context)
    (tag_value,) = network.subnet_tag.values()
    private = [group for group in answer.subnet_groups if group.type != "Public"]
    subnets = sorted(
        (subnet for group in private if group.name == tag_value for subnet in group.subnets),
        key=lambda subnet: (subnet.availability_zone, subnet.subnet_id),
    )
    again = f"cdk context --reset '{lookup.key}' forgets what was found, where that has changed since"
    if not subnets:
        raise PlanError((PlanFault(_SUBNET_TAG, _nothing(network, answer), again),))
    zones = {subnet.availability_zone for subnet in subnets}
    shown = ", ".join(f"{subnet.subnet_id} in {subnet.availability_zone}" for subnet in subnets)
    if len(subnets) > len(zones):
        raise PlanError(
            (
                PlanFault(
                    _SUBNET_TAG,
                    f"{len(subnets)} private subnets of {answer.vpc_id} carry the tag, in {len(zones)} availability zone(s), but "
                    f"each stands for a zone of its own: {shown}",
                    f"give one subnet of each zone a tag of its own; {again}",
                ),
            )
        )
    what_to_do = "tag a subnet in another zone as well"
    if faults := [
        PlanFault(_SUBNET_TAG, f"{reason} (found in {answer.vpc_id}: {shown})", again)
        for _, reason in zone_violations(environment, len(zones), _SUBNET_TAG[1], what_to_do)
    ]:
        raise PlanError(tuple(faults))
    return answer.vpc_id, tuple(subnet.subnet_id for subnet in subnets)


def read_context(path: Path = CONTEXT_FILE) -> Context:
    """Return what was looked up for the app in this directory; nothing where the file is missing.

    Raises ``ConfigError`` where it cannot be read.
    """
    try:
        context = json.loads(path.read_text("utf-8"))
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as error:
        raise ConfigError([_file_fault(path, str(error))]) from None
    if not isinstance(context, dict):
        raise ConfigError([_file_fault(path, "it is no JSON object")])
    return context


def _file_fault(path: Path, reason: str) -> Fault:
    hint = "the CDK CLI writes this file: take it from git again, or delete it and look everything up anew"
    return Fault(path.as_posix(), None, None, (), None, f"cannot be read: {reason}", hint=hint)


def _answer(lookup: NetworkLookup, environment: Environment, context: Context) -> _Answer:
    command = f"cdk synth -c env={environment.name}"
    found = context.get(lookup.key)
    if found is None:
        raise NotLookedUpError(
            lookup,
            PlanFault(
                _VPC_TAGS,
                f"the network has not been looked up: {CONTEXT_FILE} has no answer for these tags in account {lookup.account}, "
                f"{lookup.region}",
                f"run {command} with credentials of the account, and commit {CONTEXT_FILE}",
            ),
        )
    if isinstance(found, dict) and _PROVIDER_ERROR in found:
        reason = f"the network could not be looked up: {found[_PROVIDER_ERROR]}"
        raise PlanError((PlanFault(_VPC_TAGS, reason, "exactly one VPC must carry all of these tags"),))
    try:
        return _Answer.model_validate(found)
    except ValidationError:
        reason = f"{CONTEXT_FILE} has an answer for these tags that is none of a VPC"
        hint = f"forget it with cdk context --reset '{lookup.key}', then run {command}"
        raise PlanError((PlanFault(_VPC_TAGS, reason, hint),)) from None


def _nothing(network: LookupNetwork, answer: _Answer) -> str:
    ((tag_key, tag_value),) = network.subnet_tag.items()
    told = f"no private subnet of {answer.vpc_id} carries {tag_key}: {tag_value}"
    groups = [
        f"{group.name} ({len(group.subnets)} {group.type.lower()})"
        for group in sorted(answer.subnet_groups, key=lambda group: (group.name, group.type))
    ]
    return f"{told}; it has {', '.join(groups)}" if groups else f"{told}; it has no subnet"


def _parts(asked: Mapping[str, Any], prefix: str = "") -> Iterator[str]:
    """Yield every value with its path; a colon in a text is quoted, because colons join the parts."""
    for name, value in asked.items():
        if isinstance(value, Mapping):
            yield from _parts(value, f"{prefix}{name}.")
        else:
            text = value.replace(":", "$:") if isinstance(value, str) else json.dumps(value)
            yield f"{prefix}{name}={text}"
