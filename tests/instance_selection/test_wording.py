"""A latency is read at a glance: seconds from one second on."""

import pytest

from sizewell.instance_selection.wording import milliseconds


@pytest.mark.parametrize(
    ("value", "written"),
    [
        (0.84, "0.8 ms"),
        (12.4, "12 ms"),
        (999.4, "999 ms"),
        (1000, "1.00 s"),
        (7819, "7.82 s"),
        (21250, "21.2 s"),
    ],
)
def test_a_latency_has_the_unit_that_reads_best(value: float, written: str) -> None:
    assert milliseconds(value) == written
