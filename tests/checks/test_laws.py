"""Laws that hold for any template."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sizewell.checks import OfferedTypes, check_template
from tests.checks.builders import Json, scalable_target, template
from tests.checks.faults import FAULTS
from tests.synthesis import ENVIRONMENTS, templates

NOTHING_OFFERED = OfferedTypes("nowhere", frozenset(), frozenset())
TYPES = sorted({r["Type"] for faulty, _ in FAULTS.values() for r in faulty["Resources"].values()})


def _keys(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        for key, item in value.items():
            yield key
            yield from _keys(item)
    elif isinstance(value, list):
        for item in value:
            yield from _keys(item)


def _leaves(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    if not isinstance(value, dict | list):
        yield path
    for key, item in items:
        yield from _leaves(item, (*path, key))


def _replaced(value: Any, path: tuple[Any, ...], by: Any) -> Any:
    if not path:
        return by
    copy = dict(value) if isinstance(value, dict) else list(value)
    copy[path[0]] = _replaced(value[path[0]], path[1:], by)
    return copy


KEYS = sorted({key for faulty, _ in FAULTS.values() for key in _keys(faulty)})
LEAVES = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5) | st.sampled_from(KEYS)
ANY_JSON = st.recursive(
    LEAVES,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(KEYS), inner, max_size=4),
    max_leaves=12,
)
ANY_RESOURCE = st.fixed_dictionaries({"Type": st.sampled_from(TYPES), "Properties": ANY_JSON}) | ANY_JSON


@given(st.fixed_dictionaries({"Resources": st.dictionaries(st.sampled_from("ABC"), ANY_RESOURCE)}) | ANY_JSON)
def test_no_template_is_too_strange(any_template: Any) -> None:
    check_template(any_template if isinstance(any_template, dict) else {}, NOTHING_OFFERED)


@given(st.sampled_from(sorted(FAULTS)), st.data())
def test_no_part_of_a_template_is_too_strange(name: str, data: st.DataObject) -> None:
    faulty, _ = FAULTS[name]
    path = data.draw(st.sampled_from(list(_leaves(faulty))))
    cut = data.draw(st.integers(2, len(path)))
    check_template(_replaced(faulty, path[:cut], data.draw(ANY_JSON)), NOTHING_OFFERED)


@given(st.integers(), st.integers())
def test_bounds_are_judged_alike_as_numbers_and_as_texts(least: int, most: int) -> None:
    numbers = check_template(template(T=scalable_target(MinCapacity=least, MaxCapacity=most)))
    texts = check_template(template(T=scalable_target(MinCapacity=str(least), MaxCapacity=str(most))))
    assert bool(numbers) == bool(texts) == (least > most)


@pytest.mark.cdk
@pytest.mark.parametrize("environment", ENVIRONMENTS)
def test_what_is_unknown_is_no_fault(environment: str, assemblies: Callable[[str], Path]) -> None:
    # Each value of our own templates in turn becomes one that only the deployment knows.
    for stack, whole in templates(assemblies(environment)).items():
        resources: Json = whole["Resources"]
        for path in _leaves(
            {key: value["Properties"] for key, value in resources.items() if value.get("Properties")}
        ):
            logical_id, *inner = path
            if not inner or not resources[logical_id]["Type"].startswith(
                (
                    "AWS::SageMaker",
                    "AWS::CloudWatch",
                    "AWS::Scheduler",
                    "AWS::StepFunctions",
                    "Custom::",
                    "AWS::Appl",
                )
            ):
                continue
            unknown = {"Fn::GetAtt": ["Elsewhere", "Value"]}
            changed = _replaced(whole, ("Resources", logical_id, "Properties", *inner), unknown)
            assert check_template(changed) == (), f"{stack}: {json.dumps(path)}"
