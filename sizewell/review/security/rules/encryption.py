"""Encryption: which settings of a resource there are, wherever they stand, and how much each protects."""

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any, NamedTuple

from sizewell.review.model import SecurityChange
from sizewell.review.security.rule import ABSENT, NOT_SET, StackChange, stack_rule
from sizewell.review.words import Direction
from sizewell.templates.alternatives import alternatives, may_be_missing
from sizewell.templates.template import ResourcePair
from sizewell.templates.values import flag

#: Properties that name a key, in small letters: without one, AWS takes a key of its own, or none.
_KEYS = frozenset(
    {
        "kmskeyid",
        "kmskeyarn",
        "kmskey",
        "kmsmasterkeyid",
        "volumekmskeyid",
        "ssekmskeyid",
        "encryptionkeyarn",
        "encryptionatrestkmskeyarn",
        "performanceinsightskmskeyid",
    }
)
#: Truth values.
_FLAGS = frozenset(
    {
        "encrypted",
        "storageencrypted",
        "atrestencryptionenabled",
        "transitencryptionenabled",
        "enableintercontainertrafficencryption",
        "sqsmanagedsseenabled",
    }
)
#: Maps that are one setting as a whole.
_BLOCKS = frozenset(
    {
        "bucketencryption",
        "ssespecification",
        "encryptionconfiguration",
        "encryptionconfig",
        "streamencryption",
        "encryptioninfo",
        "encryptionatrestoptions",
        "nodetonodeencryptionoptions",
        "serversideencryptionconfiguration",
    }
)
#: Types that store in the clear unless this property says otherwise (resource pages of the template reference).
_CLEAR_BY_DEFAULT = {
    "AWS::EC2::Volume": "Encrypted",
    "AWS::EFS::FileSystem": "Encrypted",
    "AWS::RDS::DBInstance": "StorageEncrypted",
    "AWS::RDS::DBCluster": "StorageEncrypted",
    "AWS::DocDB::DBCluster": "StorageEncrypted",
    "AWS::Neptune::DBCluster": "StorageEncrypted",
    "AWS::Redshift::Cluster": "Encrypted",
    "AWS::ElastiCache::ReplicationGroup": "AtRestEncryptionEnabled",
    "AWS::Kinesis::Stream": "StreamEncryption",
}
#: What names a member of a list, so that another order is no change.
_NAMES = ("VariantName", "DeviceName", "Name", "Id", "ChannelName", "Key")
_NONE, _AWS_KEY, _CUSTOMER_KEY = 0, 1, 2
#: What AWS encrypts even where nothing is said:
#: https://docs.aws.amazon.com/AmazonS3/latest/userguide/default-encryption-faq.html,
#: https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_SetQueueAttributes.html
_WHEN_NOT_SET = {"bucketencryption": _AWS_KEY, "sqsmanagedsseenabled": _AWS_KEY}

_WHY_LOST = (
    "Data are stored or sent without encryption, or with a key that AWS owns. You can neither audit nor revoke such a "
    "key."
)
_WHY_GAINED = "Data are encrypted, or use a key of your own, which you can audit and revoke."
_WHY_HARDWARE = (
    "Instances with local NVMe encrypt the data in hardware, with keys that end with the instance. They refuse a "
    "key of your own."
)

Path = tuple[str, ...]


class _Encryption(NamedTuple):
    """The encryption settings of one resource."""

    levels: Mapping[Path, int]
    shown: Mapping[Path, str]
    containers: Mapping[Path, Mapping[str, Any]]
    """All maps, by path: where one is gone, its settings are not lost."""


@stack_rule
def encryption(stack: StackChange) -> Iterator[SecurityChange]:
    """Yield the resources, and the jobs of state machines, that are encrypted less, or better, than they were."""
    for pair in stack.changed:
        if pair.head is None:
            continue
        if pair.base is None:
            yield from _new(stack, pair)
        else:
            yield from _compared(stack, pair)


def _new(stack: StackChange, pair: ResourcePair) -> Iterator[SecurityChange]:
    key = _CLEAR_BY_DEFAULT.get(pair.either.resource_type)
    properties = pair.either.properties
    if key is None or "KmsKeyId" in properties or _is_copy(properties):
        return
    if _level(key, properties.get(key)) == _NONE:
        yield stack.change(
            "encryption-lost",
            "weaker",
            pair.either.logical_id,
            base=ABSENT,
            head=f"{key}: {_text(properties.get(key))}",
            why="It stores data without encryption, although it supports encryption.",
        )


def _is_copy(properties: Mapping[str, Any]) -> bool:
    """Tell whether it takes its encryption from what it is made of."""
    return any(
        key in properties
        for key in (
            "SnapshotId",
            "SnapshotIdentifier",
            "DBSnapshotIdentifier",
            "SourceDBInstanceIdentifier",
            "DBClusterIdentifier",
        )
    )


def _compared(stack: StackChange, pair: ResourcePair) -> Iterator[SecurityChange]:
    assert pair.base is not None
    assert pair.head is not None
    base, head = _found(pair.base.properties), _found(pair.head.properties)
    groups: dict[str, list[Path]] = {}
    for path in sorted({*base.levels, *head.levels}):
        before, after = _side(base, path), _side(head, path)
        if before is None or after is None or before == after:
            continue
        if _encrypts_in_hardware(head if after < before else base, path):
            groups.setdefault("hardware", []).append(path)
        else:
            groups.setdefault("lost" if after < before else "gained", []).append(path)
    for group, paths in groups.items():
        rule, direction, why = _OUTCOMES[group]
        yield stack.change(
            rule,
            direction,
            pair.head.logical_id,
            base="; ".join(_line(base, path) for path in paths),
            head="; ".join(_line(head, path) for path in paths),
            why=why,
        )


_OUTCOMES: Mapping[str, tuple[str, Direction, str]] = {
    "lost": ("encryption-lost", "weaker", _WHY_LOST),
    "gained": ("encryption-gained", "stronger", _WHY_GAINED),
    "hardware": ("encryption-by-hardware", "neutral", _WHY_HARDWARE),
}


def _side(found: _Encryption, path: Path) -> int | None:
    """Return the level at a path; None where not even the map around it exists."""
    if path[:-1] not in found.containers:
        return None
    return found.levels.get(path, _WHEN_NOT_SET.get(path[-1].lower(), _NONE))


def _line(found: _Encryption, path: Path) -> str:
    return f"{'.'.join(path)}: {found.shown.get(path, NOT_SET)}"


def _found(properties: Mapping[str, Any]) -> _Encryption:
    found = _Encryption({}, {}, {})
    _collect(properties, (), found)
    return found


def _collect(value: Any, path: Path, found: _Encryption) -> None:
    if isinstance(value, Mapping):
        found.containers[path] = value  # type: ignore[index]
        for written, item in value.items():
            name = written.removesuffix(".$")
            if (lower := name.lower()) in _KEYS or lower in _FLAGS or lower in _BLOCKS:
                found.levels[(*path, name)] = _level(name, item)  # type: ignore[index]
                found.shown[(*path, name)] = _text(item)  # type: ignore[index]
            elif isinstance(item, dict | list):
                _collect(item, (*path, name), found)
    elif isinstance(value, list):
        for index, item in enumerate(value):
            if isinstance(item, dict | list):
                _collect(item, (*path, _name(item, index)), found)


def _name(item: Any, index: int) -> str:
    names = (item.get(key) for key in _NAMES) if isinstance(item, Mapping) else ()
    return next((name for name in names if isinstance(name, str)), str(index))


def _level(name: str, value: Any) -> int:
    """Return the lowest level that a setting may have."""
    lower = name.lower()
    levels = [_one_level(lower, alternative) for alternative in alternatives(value)]
    if may_be_missing(value):
        levels.append(_WHEN_NOT_SET.get(lower, _NONE))
    return min(levels, default=_NONE)


def _one_level(lower: str, value: Any) -> int:
    if lower in _FLAGS:
        return _NONE if flag(value) is False else _AWS_KEY
    if lower in _KEYS:
        return _key_level(value)
    return _block_level(value)


def _key_level(value: Any) -> int:
    """Return the level of a key; ``alias/aws/...`` are those that AWS manages."""
    if value in (None, ""):
        return _NONE
    return _AWS_KEY if isinstance(value, str) and "alias/aws/" in value else _CUSTOMER_KEY


def _block_level(value: Any) -> int:
    levels = [_AWS_KEY if value else _NONE]
    for name, item in _leaves(value):
        lower = name.lower()
        if lower in ("enabled", "sseenabled") and flag(item) is False:
            return _NONE
        if (lower in _KEYS or lower == "keyarn") and item:
            levels.append(_key_level(item))
    return max(levels)


def _leaves(value: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(value, Mapping):
        for name, item in value.items():
            yield name, item
            yield from _leaves(item)
    elif isinstance(value, list):
        for item in value:
            yield from _leaves(item)


def _encrypts_in_hardware(found: _Encryption, path: Path) -> bool:
    """Tell whether the side without a key runs on types that refuse one."""
    if path[-1].lower() not in ("kmskeyid", "volumekmskeyid"):
        return False
    container = found.containers.get(path[:-1], {})
    types = [item for name, item in _leaves(container) if name == "InstanceType"]
    return bool(types) and all(isinstance(name, str) and _has_local_disks(name) for name in types)


@cache
def _has_local_disks(name: str) -> bool:
    """Return whether a type brings NVMe disks (API reference: KmsKeyId of CreateEndpointConfig)."""
    # Imported here: the catalog takes longer to load than all else that a review of permissions needs.
    from sizewell.instance_selection.catalog import load_catalog

    instance_type = load_catalog("us-east-1").find(name)
    return instance_type is not None and instance_type.local_storage_nvme


def _text(value: Any) -> str:
    if value is None:
        return NOT_SET
    if isinstance(value, Mapping):
        return ", ".join(sorted({str(item) for _, item in _leaves(value) if isinstance(item, str)})) or "set"
    return str(value).lower() if isinstance(value, bool) else str(value)
