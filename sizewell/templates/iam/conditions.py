"""Conditions of statements, and whether one implies another.

https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_elements_condition_operators.html
"""

import json
from collections.abc import Callable, Iterable, Mapping
from ipaddress import IPv4Network, IPv6Network, collapse_addresses, ip_network
from typing import Any, NamedTuple

from sizewell.templates.alternatives import texts
from sizewell.templates.iam.patterns import arn_covers, covers
from sizewell.templates.values import number


class Clause(NamedTuple):
    """One key of one operator: it holds when one of the values matches; of a negative operator, when none does."""

    operator: str
    """In small letters, with the prefix ``foranyvalue:`` or ``forallvalues:`` and without ``ifexists``."""
    key: str
    """In small letters."""
    values: tuple[str, ...]
    """Sorted."""
    if_exists: bool = False


Condition = tuple[Clause, ...]
"""All clauses must hold; sorted."""

_QUANTIFIERS = ("foranyvalue:", "forallvalues:")
_NEGATIVE = frozenset(
    {
        "stringnotequals",
        "stringnotequalsignorecase",
        "stringnotlike",
        "arnnotequals",
        "arnnotlike",
        "numericnotequals",
        "datenotequals",
        "notipaddress",
    }
)
#: Operators that mean the same, or contain another one, by the family whose values are compared.
_FAMILIES = {
    "stringlike": "string",
    "stringequals": "string",
    "stringnotlike": "not string",
    "stringnotequals": "not string",
    "arnlike": "arn",
    "arnequals": "arn",
    "arnnotlike": "not arn",
    "arnnotequals": "not arn",
}
#: By version of IP: what is wider than the most that one organization was ever given is the internet.
#: https://www.iana.org/assignments/ipv4-address-space, https://www.iana.org/assignments/ipv6-unicast-address-assignments
_LEAST_PREFIX_LENGTHS = {4: 8, 6: 16}
#: https://www.rfc-editor.org/rfc/rfc4193
_PRIVATE = "fc00::/7"


def conditions(value: Any) -> Condition:
    """Return the clauses of a canonical ``Condition``; what cannot be read is a clause that only equals itself."""
    if not isinstance(value, Mapping):
        return () if value is None else (Clause("", "", (_dumped(value),)),)
    clauses = []
    for operator, keys in value.items():
        if not isinstance(keys, Mapping) or operator.startswith("Fn::"):
            clauses.append(Clause(operator, "", (_dumped(keys),)))
            continue
        name = operator.lower()
        bare = name.removesuffix("ifexists")
        for key, values in keys.items():
            if key.startswith("Fn::"):
                clauses.append(Clause(name, key, (_dumped(values),)))
            else:
                clauses.append(Clause(bare, key.lower(), tuple(sorted({*texts(values)})), bare != name))
    return tuple(sorted(clauses))


def implies(narrow: Condition, wide: Condition) -> bool:
    """Tell whether the wide condition holds for certain wherever the narrow one does."""
    return all(any(_implies(clause, needed) for clause in narrow) for needed in wide)


def shown(value: Any) -> str:
    """Return a canonical ``Condition`` as a reader takes it in."""
    if not isinstance(value, Mapping):
        return _dumped(value)
    words = []
    for operator, keys in sorted(value.items()):
        if isinstance(keys, Mapping) and not operator.startswith("Fn::"):
            words += [
                f"{operator} {key}: {', '.join(sorted({*texts(values)}))}"
                for key, values in sorted(keys.items())
            ]
        else:
            words.append(f"{operator}: {_dumped(keys)}")
    return " and ".join(words)


def _implies(narrow: Clause, wide: Clause) -> bool:
    if narrow == wide:
        return True
    if narrow.key != wide.key or not wide.key or (narrow.if_exists and not wide.if_exists):
        return False
    if _kind(narrow.operator) != _kind(wide.operator):
        return False
    bare = _bare(wide.operator)
    if bare.startswith(("numericlessthan", "numericgreaterthan")):
        return _bounds_imply(narrow.values, wide.values, less="less" in bare)
    outer, inner = (narrow, wide) if bare in _NEGATIVE else (wide, narrow)
    covered = _covers(_bare(outer.operator), _bare(inner.operator))
    return all(any(covered(w, n) for w in outer.values) for n in inner.values)


def _kind(operator: str) -> tuple[str, str]:
    bare = _bare(operator)
    return operator.removesuffix(bare), _FAMILIES.get(bare, bare)


def _bare(operator: str) -> str:
    for quantifier in _QUANTIFIERS:
        operator = operator.removeprefix(quantifier)
    return operator


def _covers(outer: str, inner: str) -> Callable[[str, str], bool]:
    """Return how a value of the outer operator covers one of the inner operator, which is of the same family."""
    if outer in ("stringlike", "stringnotlike"):
        return covers
    if outer.startswith("arn"):
        return arn_covers
    if outer in ("ipaddress", "notipaddress"):
        return network_covers
    if outer.endswith("ignorecase"):
        return lambda wide, narrow: wide.lower() == narrow.lower()
    if inner.endswith("like"):
        return lambda wide, narrow: wide == narrow and not ("*" in narrow or "?" in narrow)
    return lambda wide, narrow: wide == narrow


def network_covers(wide: str, narrow: str) -> bool:
    """Tell whether a range of addresses lies in another; unknown ones lie nowhere."""
    outer, inner = _network(wide), _network(narrow)
    if outer is None or inner is None:
        return wide == narrow
    return (
        outer.version == inner.version
        and int(outer.network_address) <= int(inner.network_address)
        and int(inner.broadcast_address) <= int(outer.broadcast_address)
    )


def joined(ranges: Iterable[str]) -> set[str]:
    """Return ranges of addresses with those that lie beside each other as one; unknown ones are left out."""
    networks = [_network(addresses) for addresses in ranges]
    four = collapse_addresses([network for network in networks if isinstance(network, IPv4Network)])
    six = collapse_addresses([network for network in networks if isinstance(network, IPv6Network)])
    return {str(network) for network in (*four, *six)}


def is_everywhere(addresses: str) -> bool:
    """Tell whether a range is so wide that it holds nobody back; unknown ones are not."""
    network = _network(addresses)
    return (
        network is not None
        and network.prefixlen < _LEAST_PREFIX_LENGTHS[network.version]
        and not network_covers(_PRIVATE, addresses)
    )


def _network(addresses: str) -> IPv4Network | IPv6Network | None:
    try:
        return ip_network(addresses, strict=False)
    except ValueError:
        return None


def _bounds_imply(narrow: tuple[str, ...], wide: tuple[str, ...], *, less: bool) -> bool:
    known = [[number(v) for v in values] for values in (narrow, wide)]
    inner, outer = ([v for v in values if v is not None] for values in known)
    if not inner or not outer or len(inner) < len(narrow) or len(outer) < len(wide):
        return set(narrow) <= set(wide)
    return max(inner) <= max(outer) if less else min(inner) >= min(outer)


def _dumped(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, sort_keys=True)
