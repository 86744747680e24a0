"""Every change with a known consequence: the review says exactly that, and nothing else."""

from pathlib import Path

import pytest

from tools.benchmarks.review_cases.case import ConfigCase, TemplateCase
from tools.benchmarks.review_cases.configurations import CASES as CONFIG_CASES
from tools.benchmarks.reviews import TEMPLATE_CASES, judge_config, judge_template, synthesize_cases

pytestmark = pytest.mark.cdk


@pytest.fixture(scope="module")
def outputs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    return synthesize_cases(CONFIG_CASES, tmp_path_factory.mktemp("reviews"))


def test_there_are_enough_cases_and_each_has_a_name() -> None:
    cases: tuple[TemplateCase | ConfigCase, ...] = (*TEMPLATE_CASES, *CONFIG_CASES)
    names = [case.name for case in cases]
    assert len(names) == len(set(names)) >= 60
    assert sum(not case.says for case in cases) >= 20


@pytest.mark.parametrize("case", TEMPLATE_CASES, ids=lambda case: case.name)
def test_change_of_a_template(case: TemplateCase, outputs: dict[str, Path], tmp_path: Path) -> None:
    result = judge_template(case, outputs[""], tmp_path)
    assert (result.missed, result.invented) == ([], [])


@pytest.mark.parametrize("case", CONFIG_CASES, ids=lambda case: case.name)
def test_change_of_the_configuration(case: ConfigCase, outputs: dict[str, Path]) -> None:
    result = judge_config(case, outputs[""], outputs[case.name])
    assert (result.missed, result.invented) == ([], [])
