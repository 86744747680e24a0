"""Quantities of manifests."""

from contextlib import suppress
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sizewell.targets.eks.quantity import cpu_millicores, device_count, parse, size_bytes

BINARY = {"Ki": 1024, "Mi": 1024**2, "Gi": 1024**3, "Ti": 1024**4, "Pi": 1024**5, "Ei": 1024**6}
DECIMAL = {"": 1, "k": 10**3, "M": 10**6, "G": 10**9, "T": 10**12, "P": 10**15, "E": 10**18}


@pytest.mark.parametrize(
    ("written", "millicores"),
    [("500m", 500), (2, 2000), ("2", 2000), (0.1, 100), ("1.5", 1500), (".5", 500), ("1.", 1000), ("+1", 1000),
     ("0.5m", 1), ("100u", 1), ("1n", 1), ("2e3", 2_000_000), ("2E-3", 2), ("1k", 1_000_000), (1e-07, 1), (0, 0)],
)  # fmt: skip
def test_cpu_is_counted_in_millicores_and_rounded_up(written: object, millicores: int) -> None:
    assert cpu_millicores(written) == millicores


@pytest.mark.parametrize(
    ("written", "size"),
    [("16Gi", 16 * 1024**3), ("1G", 10**9), ("128974848", 128974848), ("129e6", 129_000_000), ("1.5Gi", 3 * 2**29),
     ("128974848000m", 128974848), ("1E", 10**18), ("1E3", 1000), ("0.1", 1), ("0.1Ki", 103)],
)  # fmt: skip
def test_memory_is_counted_in_bytes_and_rounded_up(written: object, size: int) -> None:
    assert size_bytes(written) == size


@pytest.mark.parametrize(
    "nonsense",
    ["", "one", "1 Gi", "1GiB", "1gi", "Gi", "1K", "1e", "1e+", "1e999", "-1", "--1", "1,5", "1.5.2", "٣", "nan", "inf",
     "1m ", "0x10", None, True, float("nan"), float("inf"), -1, [], {}],
)  # fmt: skip
def test_nonsense_is_an_error_that_says_what_to_write(nonsense: object) -> None:
    with pytest.raises(
        ValueError, match="is no quantity: write a number with a unit, such as 500m, 2 or 16Gi"
    ):
        parse(nonsense)


def test_small_units_are_exact() -> None:
    assert [parse(f"1{unit}") for unit in "num"] == [
        Fraction(1, 10**9),
        Fraction(1, 10**6),
        Fraction(1, 1000),
    ]


def test_devices_are_whole() -> None:
    assert device_count("2") == device_count(2) == device_count("2000m") == 2
    with pytest.raises(ValueError, match=r"'1\.5' is no whole number of devices"):
        device_count("1.5")


@given(st.integers(0, 10**9))
def test_millicores_come_back(millicores: int) -> None:
    assert cpu_millicores(f"{millicores}m") == millicores
    assert cpu_millicores(f"{millicores / 1000:.3f}") == millicores


@given(st.integers(0, 10**6), st.sampled_from(sorted(BINARY | DECIMAL)))
def test_sizes_come_back(number: int, unit: str) -> None:
    assert size_bytes(f"{number}{unit}") == number * (BINARY | DECIMAL)[unit]


@given(st.decimals(0, 10**12, places=9))
def test_a_quantity_is_exact(number: object) -> None:
    assert parse(f"{number:f}") == Fraction(str(number))


@given(st.text(max_size=6))
def test_a_text_is_a_quantity_or_an_error(text: str) -> None:
    with suppress(ValueError):
        assert parse(text) >= 0
