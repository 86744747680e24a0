"""Quantities as Kubernetes writes them: ``500m``, ``1.5``, ``16Gi``, ``2e3``. Exact: no floating point.

https://kubernetes.io/docs/reference/kubernetes-api/common-definitions/quantity/. What is not whole is rounded up, as
Quantity.MilliValue and Quantity.Value do. A negative amount is an error: nobody can ask for it.
"""

import math
import re
from fractions import Fraction

_QUANTITY = re.compile(r"\+?([0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE]([+-]?[0-9]{1,2})|([numkMGTPE]|[KMGTPE]i)?)")
_FACTORS = {"n": Fraction(1, 1000**3), "u": Fraction(1, 1000**2), "m": Fraction(1, 1000), "": Fraction(1)}
_FACTORS |= {letter: Fraction(1000**power) for power, letter in enumerate("kMGTPE", 1)}
_FACTORS |= {f"{letter}i": Fraction(1024**power) for power, letter in enumerate("KMGTPE", 1)}


def parse(value: object) -> Fraction:
    """Return the amount that a string or a number of a manifest says; ValueError where it says none."""
    found = _QUANTITY.fullmatch(str(value)) if isinstance(value, str | int | float) else None
    if found is None or isinstance(value, bool):
        raise ValueError(f"{value!r} is no quantity: write a number with a unit, such as 500m, 2 or 16Gi")
    number, exponent, unit = found.groups()
    return Fraction(number) * (Fraction(10) ** int(exponent) if exponent else _FACTORS[unit or ""])


def cpu_millicores(value: object) -> int:
    """Return a quantity of CPU in thousandths of a core."""
    return math.ceil(parse(value) * 1000)


def size_bytes(value: object) -> int:
    """Return a quantity of memory or storage in bytes."""
    return math.ceil(parse(value))


def device_count(value: object) -> int:
    """Return a quantity of an extended resource, such as nvidia.com/gpu; ValueError for a part of one."""
    count = parse(value)
    if count.denominator != 1:
        raise ValueError(f"{value!r} is no whole number of devices")
    return int(count)
