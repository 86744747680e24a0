"""Compare the resources of one stack, setting by setting."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property

from sizewell.review.parity import reasons
from sizewell.review.parity.allowed import allowance, is_physical_name, removal_helper
from sizewell.review.parity.hardware import hardware_kinds, is_image, is_instance_type
from sizewell.review.parity.model import Difference, Kind
from sizewell.review.parity.normalisation import StackNormaliser, zone_family
from sizewell.review.parity.settings import Setting, SettingPath, Settings, numbered_states, settings_of
from sizewell.review.words import listed, shorten
from sizewell.templates.template import Resource

_SUBNET = "AWS::EC2::Subnet"
#: Where a state machine goes on: another number of tries changes it.
_FLOW = frozenset({"Next", "Default", "StartAt"})
#: The removal policy of CDK sets both: the first one says it.
_DELETION, _REPLACEMENT = ("DeletionPolicy",), ("UpdateReplacePolicy",)
_MAX_TEXT = 160


@dataclass(frozen=True)
class ComparedResource:
    """A resource of one environment."""

    resource: Resource
    normaliser: StackNormaliser

    @property
    def resource_type(self) -> str:
        """Its type."""
        return self.resource.resource_type

    @cached_property
    def settings(self) -> Settings:
        """Its properties, and what else the template says of it."""
        said = {**self.resource.attributes, **self.resource.properties}
        return settings_of(said, self.normaliser.normalise)


Resources = Mapping[str, ComparedResource]
"""By construct path."""


@dataclass(frozen=True)
class Place:
    """Where two environments differ."""

    environment: str
    reference: str
    workload: str
    subject: str

    def difference(
        self, kind: Kind, path: SettingPath, value: str | None, reference_value: str | None, why: str
    ) -> Difference:
        """Return what differs here; ``why`` is one of ``reasons``."""
        return Difference(
            kind=kind,
            workload=self.workload,
            subject=self.subject,
            setting=".".join(path),
            value=value,
            reference_value=reference_value,
            why=why.format(environment=self.environment, reference=self.reference),
        )


def compare_resources(stack: Place, ours: Resources, reference: Resources) -> Iterator[Difference]:
    """Yield every difference between the stacks of a workload."""
    families = (_zones(ours), _zones(reference))
    for family in sorted({*families[0], *families[1]}):
        zones = [counts[family] for counts in families]
        if all(zones) and zones[0] != zones[1]:
            place = replace(stack, subject=family)
            yield place.difference("size", ("zones",), str(zones[0]), str(zones[1]), reasons.ZONES)
    zoned = tuple(_families(side) for side in (ours, reference))
    for path in sorted(ours.keys() & reference.keys()):
        yield from _compare(replace(stack, subject=path), ours[path], reference[path])
    for here, there, in_reference in ((ours, reference, False), (reference, ours, True)):
        missing = {
            path: side.resource_type
            for path, side in here.items()
            if path not in there
            and (
                (family := zone_family(side.resource_type, path)) == path
                or not all(family in z for z in zoned)
            )
        }
        yield from _missing(stack, missing, there, in_reference=in_reference)


def _families(resources: Resources) -> set[str]:
    return {zone_family(side.resource_type, path) for path, side in resources.items()}


def _zones(resources: Resources) -> Counter[str]:
    return Counter(zone_family(_SUBNET, path) for path, r in resources.items() if r.resource_type == _SUBNET)


def _missing(
    stack: Place, missing: Mapping[str, str], there: Resources, *, in_reference: bool
) -> Iterator[Difference]:
    """Yield what only one side has, a construct that is missing as a whole once."""
    there_paths = tuple(tuple(path.split("/")) for path in there)
    constructs: dict[str, dict[str, str]] = {}
    for path, resource_type in sorted(missing.items()):
        if not in_reference and (why := removal_helper(resource_type, path)):
            yield replace(stack, subject=path).difference("policy", (), resource_type, None, why)
            continue
        construct = "/".join(_absent_part(tuple(path.split("/")), there_paths))
        constructs.setdefault(construct, {})[path] = resource_type
    for construct, resources in constructs.items():
        subject = construct if len(resources) > 1 else next(iter(resources))
        types = _joined(list(resources.values()))
        ours, reference = (None, types) if in_reference else (types, None)
        why = reasons.missing_reason(resources.values(), in_reference=in_reference)
        yield replace(stack, subject=subject).difference("missing", (), ours, reference, why)


def _compare(place: Place, ours: ComparedResource, reference: ComparedResource) -> Iterator[Difference]:
    if ours.resource_type != reference.resource_type:
        yield place.difference("type", (), ours.resource_type, reference.resource_type, reasons.TYPE)
        return
    tries = [numbered_states(side.resource.properties) for side in (ours, reference)]
    if tries[0] != tries[1]:
        yield place.difference("size", ("tries",), str(tries[0]), str(tries[1]), reasons.TRIES)
    left, right = ours.settings, reference.settings
    if left.get(_DELETION) != right.get(_DELETION):
        left, right = _without(left, _REPLACEMENT), _without(right, _REPLACEMENT)
    shown: set[SettingPath] = set()
    for path in sorted({*left, *right}):
        one, other = left.get(path), right.get(path)
        if one and other and _is_same(one, other):
            continue
        if is_physical_name(ours.resource_type, path) or (tries[0] != tries[1] and path[-1] in _FLOW):
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


def _is_same(ours: Setting, reference: Setting) -> bool:
    """Tell whether two settings say the same: in what counts, or word for word, as ``/dev/shm`` does, which has a name in it."""
    return ours.values.keys() == reference.values.keys() or (
        not ours.is_policy and sorted(ours.values.values()) == sorted(reference.values.values())
    )


def _changed(place: Place, path: SettingPath, ours: Setting, reference: Setting) -> Difference:
    if ours.is_policy or reference.is_policy:
        return place.difference(
            "permission", path, _only(ours, reference), _only(reference, ours), reasons.PERMISSION
        )
    if is_image(path):
        return place.difference("image", path, _show(ours), _show(reference), reasons.IMAGE)
    if not is_instance_type(path):
        return place.difference("setting", path, _show(ours), _show(reference), reasons.setting_reason(path))
    kinds = [hardware_kinds(setting.values.values()) for setting in (ours, reference)]
    if None in kinds[0] | kinds[1]:
        return place.difference("size", path, _show(ours), _show(reference), reasons.UNKNOWN_HARDWARE)
    if kinds[0] == kinds[1]:
        return place.difference("size", path, _show(ours), _show(reference), reasons.SIZE)
    left, right = (
        f"{_show(setting)} ({', '.join(sorted(str(kind) for kind in of_side))})"
        for setting, of_side in zip((ours, reference), kinds, strict=True)
    )
    return place.difference("hardware", path, left, right, reasons.HARDWARE)


def _absent(
    place: Place, path: SettingPath, whole: SettingPath, ours: Setting | None, reference: Setting | None
) -> Difference:
    kind: Kind = "setting"
    for setting in (ours, reference):
        if setting and setting.is_policy:
            kind = "permission"
    if is_image(whole):
        kind = "image"
    values = [
        None if setting is None else _show(setting) if whole == path else "set"
        for setting in (ours, reference)
    ]
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


def _without(settings: Settings, path: SettingPath) -> Settings:
    return {key: setting for key, setting in settings.items() if key != path}


def _only(setting: Setting, other: Setting) -> str | None:
    return (
        _joined([text for key, text in setting.values.items() if key not in other.values]) or "nothing more"
    )


def _show(setting: Setting | None) -> str | None:
    return None if setting is None else _joined(list(setting.values.values()))


def _joined(texts: list[str]) -> str:
    return listed(shorten(text, _MAX_TEXT) for text in sorted(set(texts)))
