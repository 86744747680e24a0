"""How a resource is read back: calls of boto3, and what of each answer shows which property."""

from collections.abc import Callable, Iterable, Mapping
from string import Template
from typing import Any

import jmespath
from botocore.exceptions import ClientError

Properties = dict[str, Any]
ClientFactory = Callable[[str], Any]
#: A step takes what is known so far, and returns the properties that the service shows.
Step = Callable[[ClientFactory, "Known"], Properties]

#: What services answer of a thing that was never set.
NEVER_SET = {
    "NoSuchLifecycleConfiguration",
    "NoSuchTagSet",
    "ProvisionedConcurrencyConfigNotFoundException",
    "ServerSideEncryptionConfigurationNotFoundError",
}


class Known(dict[str, Any]):
    """What placeholders stand for: the physical id, and what earlier steps have shown.

    A service that has to be asked by a declared property shows with its answer that the property is right.
    """

    def __init__(self, client: ClientFactory, physical_id: str, declared: Properties) -> None:
        self.declared, self.asked_by = declared, set[str]()
        name, last = physical_id.rpartition("/")[2], physical_id.rpartition(":")[2]
        super().__init__(id=physical_id, name=name, last=last, region=client("sts").meta.region_name)

    def __missing__(self, name: str) -> Any:
        self.asked_by.add(name)
        value = self.declared[name]
        return value[0] if isinstance(value, list) else value

    def fill(self, value: Any) -> Any:
        """Return the value with what its placeholders stand for."""
        if isinstance(value, list):
            return [self.fill(item) for item in value]
        if isinstance(value, dict):
            return {name: self.fill(item) for name, item in value.items()}
        return Template(value).substitute(self) if isinstance(value, str) else value


def call(service: str, operation: str, shown: str = "@", /, **arguments: Any) -> Step:
    """Return a step that makes one call; ``shown`` is a JMESPath expression: the properties in the answer."""

    def step(client: ClientFactory, known: Known) -> Properties:
        api, filled = client(service), known.fill(arguments)
        try:
            if api.can_paginate(operation):
                answer = api.get_paginator(operation).paginate(**filled).build_full_result()
            else:
                answer = getattr(api, operation)(**filled)
        except ClientError as error:
            if error.response["Error"]["Code"] in NEVER_SET:
                return {}
            raise
        return jmespath.search(known.fill(shown), answer) or {}

    return step


def read(steps: Iterable[Step], client: ClientFactory, physical_id: str, declared: Properties) -> Properties:
    """Return what the service shows of a resource; ``declared`` only tells where to look."""
    known, shown = Known(client, physical_id, declared), Properties()
    for step in steps:
        found = step(client, known)
        known |= found
        shown |= found
    return {name: declared[name] for name in known.asked_by} | shown if shown else {}


def user_tags(tags: Iterable[Mapping[str, str]] | Mapping[str, str]) -> dict[str, str]:
    """Return tags by key, however the service spells them, without those of CloudFormation itself."""
    if isinstance(tags, Mapping):
        pairs = dict(tags)
    else:
        lowered = ({key.lower().removeprefix("tag"): value for key, value in tag.items()} for tag in tags)
        pairs = {tag["key"]: tag["value"] for tag in lowered}
    return {key: value for key, value in pairs.items() if not key.startswith("aws:")}
