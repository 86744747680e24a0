import pytest

from sizewell.config.tree import Scalar
from sizewell.config.yaml_scalars import core_scalar


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("", None),
        ("~", None),
        ("null", None),
        ("nUll", "nUll"),
        ("true", True),
        ("False", False),
        ("yes", "yes"),
        ("on", "on"),
        ("12", 12),
        ("-3", -3),
        ("012", 12),
        ("0o14", 12),
        ("0xC", 12),
        ("1_000", "1_000"),
        ("1.", 1.0),
        (".5", 0.5),
        ("1e3", 1000.0),
        ("-1.5E-2", -0.015),
        ("2.3.1", "2.3.1"),
        ("03:00", "03:00"),
        ("2026-01-01", "2026-01-01"),
        ("-", "-"),
        (".", "."),
    ],
)
def test_core_schema(text: str, value: Scalar) -> None:
    result = core_scalar(text)
    assert (result, type(result)) == (value, type(value))


@pytest.mark.parametrize("text", [".inf", "-.INF", ".nan", "1e999", "9" * 5000])
def test_number_that_cannot_be_kept_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"finite|digits"):
        core_scalar(text)
