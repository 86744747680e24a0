"""The fuzzer of configurations, with few cases; by hand it runs with many: see its docstring."""

import json
from copy import deepcopy
from pathlib import Path

import pytest

from tools.benchmarks.every_key import every_key
from tools.benchmarks.fuzz import Case, cases, run, synth_findings
from tools.benchmarks.hostile_values import TEXTS

#: In parts, so that workers share them.
PARTS = 2


@pytest.mark.parametrize("part", range(PARTS))
def test_every_configuration_ends_in_a_plan_or_a_message(part: int, tmp_path: Path) -> None:
    ends = {type(_outcome(case, tmp_path)) for case in cases(11, range(part, 400, PARTS))}
    assert len(ends) == 2, "some plan, and some do not"


@pytest.mark.cdk
@pytest.mark.parametrize("name", ["endpoint: pinned", "job: decoder"])
def test_every_text_that_plans_synthesizes(name: str, tmp_path: Path) -> None:
    def case(variables: dict[str, str]) -> Case:
        config = deepcopy(every_key()[name])
        config["workloads"]["it"]["container"]["environment"] = variables
        return Case(0, json.dumps(config), "policy: {}\n", (name,))

    accepted = [text for text in TEXTS if not isinstance(run(case({"A": text}), tmp_path), str)]
    assert len(accepted) > 20
    together = case({f"A{number}": text for number, text in enumerate(accepted)})
    assert list(synth_findings(together, tmp_path)) == []


def _outcome(case: Case, directory: Path) -> object:
    try:
        return run(case, directory)
    except Exception as error:
        error.add_note(f"case {case.number}: {case.changes}")
        raise
