"""Short digests of the needs of a workload and of the reasons behind its choice, to tell which of them changed."""

from collections.abc import Mapping
from dataclasses import MISSING, Field, fields, is_dataclass
from hashlib import sha256
from typing import Any

from pydantic_core import to_json

from sizewell.instance_selection.results import AnySelection

#: Hexadecimal digits of a digest: 48 bits, as in the version of the catalog.
DIGITS = 12
#: Fields of requirements that are no needs: what was assumed, and what was measured, on the way to an estimate; and how
#: the images are called and for which CUDA they are, of which it matters on which hardware they run.
_EVIDENCE = frozenset({"assumptions", "measurements", "image_name", "cuda"})
#: Parts of an estimate that follow from prices: they change with each refresh, and are locked as numbers.
_PRICES = {"usd_per_run", "spot_savings_pct"}
#: Parts that follow from others and from the needs.
_DERIVED = {"instances_by_schedule"}
#: Significant digits of an estimate in its digest: the last bit of a logarithm on another machine is no other reason.
_REASON_DIGITS = 3


def needs_digest(needs: Any, **also: str) -> str:
    """Return the digest of requirements (a frozen dataclass) and of what else the configuration says.

    It does not depend on how the YAML was written. A field at its default is left out: a field that a later version
    adds does not change the digests of needs that do not use it.
    """
    return _digest({"needs": _plain(needs), **also})


def reasons_digest(selection: AnySelection) -> str:
    """Return the digest of what a choice rests on beside prices: the estimate, and what else is feasible or why not.

    With equal needs, another digest means that hardware facts, offers or the estimates themselves have changed.
    """
    chosen = selection.chosen
    candidates = (chosen, *selection.runners_up)
    return _digest(
        {
            "chosen": chosen.instance_type,
            "estimate": _coarse(chosen.estimate.model_dump(mode="json", exclude=_PRICES | _DERIVED)),
            "feasible": sorted(candidate.instance_type for candidate in candidates),
            "rejected": sorted(
                (rejection.instance_type, rejection.filter) for rejection in selection.rejected
            ),
        }
    )


def _digest(document: Mapping[str, Any]) -> str:
    return sha256(to_json(dict(sorted(document.items())))).hexdigest()[:DIGITS]


def _plain(value: Any) -> Any:
    """Return dataclasses as maps with sorted keys, and sets as sorted lists."""
    if is_dataclass(value) and not isinstance(value, type):
        stated = (
            (field.name, getattr(value, field.name)) for field in fields(value) if field.name not in _EVIDENCE
        )
        defaults = {field.name: _default(field) for field in fields(value)}
        return {name: _plain(item) for name, item in sorted(stated) if item != defaults[name]}
    if isinstance(value, frozenset | set):
        return sorted(value)
    if isinstance(value, tuple | list):
        return [_plain(item) for item in value]
    return value


def _default(field: Field[Any]) -> Any:
    return field.default_factory() if field.default_factory is not MISSING else field.default


def _coarse(value: Any) -> Any:
    if isinstance(value, float):
        return float(f"{value:.{_REASON_DIGITS}g}")
    if isinstance(value, dict):
        return {key: _coarse(item) for key, item in value.items()}
    return value
