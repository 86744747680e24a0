"""The fuzzer of configurations, with few cases; by hand it runs with many: see its docstring."""

from pathlib import Path

import pytest

from benchmarks.fuzz import Case, cases, run

#: In parts, so that workers share them.
PARTS = 8


@pytest.mark.parametrize("part", range(PARTS))
def test_every_configuration_ends_in_a_plan_or_a_message(part: int, tmp_path: Path) -> None:
    ends = {type(_outcome(case, tmp_path)) for case in cases(11, range(part, 2000, PARTS))}
    assert len(ends) == 2, "some plan, and some do not"


def _outcome(case: Case, directory: Path) -> object:
    try:
        return run(case, directory)
    except Exception as error:
        error.add_note(f"case {case.number}: {case.changes}")
        raise
