"""Compare the resources of one stack, setting by setting."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from sizewell.review.parity import reasons
from sizewell.review.parity.allowed import allowance, is_physical_name, removal_helper
from sizewell.review.parity.hardware import hardware_kinds, is_image, is_instance_type
from sizewell.review.parity.leaves import Leaf, Leaves, SettingPath, leaves, numbered_states
from sizewell.review.parity.masks import StackMask, zone_family
from sizewell.review.parity.model import Difference, Kind
from sizewell.templates.template import Resource

_SUBNET = "AWS::EC2::Subnet"
#: Where a state machine goes on: another number of tries changes it.
_FLOW = frozenset({"Next", "Default", "StartAt"})
#: The removal policy of CDK sets both: the first one says it.
_DELETION, _REPLACEMENT = ("DeletionPolicy",), ("UpdateReplacePolicy",)
_MAX_TEXT = 160
_MAX_VALUES = 6


@dataclass(frozen=True)
class ResourceSide:
    """A resource of one environment."""

    resource: Resource
    mask: StackMask

    @property
    def resource_type(self) -> str:
        """Its type."""
        return self.resource.resource_type

    @cached_property
    def settings(self) -> Leaves:
        """Its properties, and what else the template says of it."""
        return leaves({**self.resource.attributes, **self.resource.properties}, self.mask.hide)


Resources = Mapping[str, ResourceSide]


@dataclass(frozen=True)
class _Place:
    workload: str
    subject: str

    def difference(
        self, kind: Kind, path: SettingPath, staging: str | None, prod: str | None, why: str
    ) -> Difference:
        return Difference(
            kind=kind,
            workload=self.workload,
            subject=self.subject,
            setting=".".join(path),
            staging=staging,
            prod=prod,
            why=why,
        )


def compare_resources(workload: str, staging: Resources, prod: Resources) -> Iterator[Difference]:
    """Yield every difference between the stacks of a workload; resources are by construct path."""
    families = (_zones(staging), _zones(prod))
    for family in sorted({*families[0], *families[1]}):
        zones = [counts[family] for counts in families]
        if all(zones) and zones[0] != zones[1]:
            place = _Place(workload, family)
            yield place.difference("size", ("zones",), str(zones[0]), str(zones[1]), reasons.ZONES)
    zoned = tuple(_families(side) for side in (staging, prod))
    for path in sorted(staging.keys() & prod.keys()):
        yield from _compare(_Place(workload, path), staging[path], prod[path])
    for here, there, in_prod in ((staging, prod, False), (prod, staging, True)):
        missing = {
            path: side.resource_type
            for path, side in here.items()
            if path not in there
            and (
                (family := zone_family(side.resource_type, path)) == path
                or not all(family in z for z in zoned)
            )
        }
        yield from _missing(workload, missing, there, in_prod=in_prod)


def _families(resources: Resources) -> set[str]:
    return {zone_family(side.resource_type, path) for path, side in resources.items()}


def _zones(resources: Resources) -> Counter[str]:
    return Counter(zone_family(_SUBNET, path) for path, r in resources.items() if r.resource_type == _SUBNET)


def _missing(
    workload: str, missing: Mapping[str, str], there: Resources, *, in_prod: bool
) -> Iterator[Difference]:
    """Yield what only one side has, a construct that is missing as a whole once."""
    there_paths = tuple(tuple(path.split("/")) for path in there)
    constructs: dict[str, dict[str, str]] = {}
    for path, resource_type in sorted(missing.items()):
        if not in_prod and (why := removal_helper(resource_type, path)):
            yield _Place(workload, path).difference("policy", (), resource_type, None, why)
            continue
        construct = "/".join(_absent_part(tuple(path.split("/")), there_paths))
        constructs.setdefault(construct, {})[path] = resource_type
    for construct, resources in constructs.items():
        subject = construct if len(resources) > 1 else next(iter(resources))
        types = _joined(list(resources.values()))
        staging, prod = (None, types) if in_prod else (types, None)
        why = reasons.missing_reason(resources.values(), in_prod=in_prod)
        yield _Place(workload, subject).difference("missing", (), staging, prod, why)


def _compare(place: _Place, staging: ResourceSide, prod: ResourceSide) -> Iterator[Difference]:
    if staging.resource_type != prod.resource_type:
        yield place.difference("type", (), staging.resource_type, prod.resource_type, reasons.TYPE)
        return
    tries = [numbered_states(side.resource.properties) for side in (staging, prod)]
    if tries[0] != tries[1]:
        yield place.difference("size", ("tries",), str(tries[0]), str(tries[1]), reasons.TRIES)
    left, right = staging.settings, prod.settings
    if left.get(_DELETION) != right.get(_DELETION):
        left, right = _without(left, _REPLACEMENT), _without(right, _REPLACEMENT)
    shown: set[SettingPath] = set()
    for path in sorted({*left, *right}):
        one, other = left.get(path), right.get(path)
        if one and other and one.values.keys() == other.values.keys():
            continue
        if is_physical_name(staging.resource_type, path) or (tries[0] != tries[1] and path[-1] in _FLOW):
            continue
        if row := allowance(path, one, other):
            if row.kind != "name":
                yield place.difference(row.kind, path, _show(one), _show(other), row.why)
        elif one and other:
            yield _changed(place, path, one, other)
        else:
            whole = _absent_part(path, right if one else left)
            if whole not in shown:
                shown.add(whole)
                yield _absent(place, path, whole, one, other)


def _changed(place: _Place, path: SettingPath, staging: Leaf, prod: Leaf) -> Difference:
    if staging.is_policy or prod.is_policy:
        return place.difference(
            "permission", path, _only(staging, prod), _only(prod, staging), reasons.PERMISSION
        )
    if is_image(path):
        return place.difference("image", path, _show(staging), _show(prod), reasons.IMAGE)
    if not is_instance_type(path):
        return place.difference("setting", path, _show(staging), _show(prod), reasons.setting_reason(path))
    kinds = [hardware_kinds(leaf.values.values()) for leaf in (staging, prod)]
    if None in kinds[0] | kinds[1]:
        return place.difference("size", path, _show(staging), _show(prod), reasons.UNKNOWN_HARDWARE)
    if kinds[0] == kinds[1]:
        return place.difference("size", path, _show(staging), _show(prod), reasons.SIZE)
    left, right = (
        f"{_show(leaf)} ({', '.join(sorted(str(kind) for kind in of_side))})"
        for leaf, of_side in zip((staging, prod), kinds, strict=True)
    )
    return place.difference("hardware", path, left, right, reasons.HARDWARE)


def _absent(
    place: _Place, path: SettingPath, whole: SettingPath, staging: Leaf | None, prod: Leaf | None
) -> Difference:
    kind: Kind = "setting"
    for leaf in (staging, prod):
        if leaf and leaf.is_policy:
            kind = "permission"
    if is_image(whole):
        kind = "image"
    values = [None if leaf is None else _show(leaf) if whole == path else "set" for leaf in (staging, prod)]
    why = {"permission": reasons.PERMISSION, "image": reasons.IMAGE}.get(kind) or reasons.setting_reason(
        whole
    )
    return place.difference(kind, whole, values[0], values[1], why)


def _absent_part(path: SettingPath, other: Iterable[SettingPath]) -> SettingPath:
    """Return the shortest beginning of a path of which the other side has nothing."""
    for length in range(1, len(path)):
        beginning = path[:length]
        if not any(known[:length] == beginning for known in other):
            return beginning
    return path


def _without(settings: Leaves, path: SettingPath) -> Leaves:
    return {key: leaf for key, leaf in settings.items() if key != path}


def _only(leaf: Leaf, other: Leaf) -> str | None:
    return _joined([text for key, text in leaf.values.items() if key not in other.values]) or "nothing more"


def _show(leaf: Leaf | None) -> str | None:
    return None if leaf is None else _joined(list(leaf.values.values()))


def _joined(texts: list[str]) -> str:
    unique = sorted(dict.fromkeys(texts))
    shown = [text if len(text) <= _MAX_TEXT else text[: _MAX_TEXT - 1] + "…" for text in unique[:_MAX_VALUES]]
    rest = len(unique) - len(shown)
    return ", ".join(shown) + (f" and {rest} more" if rest else "")
