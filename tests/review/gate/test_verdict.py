from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from sizewell.review.compare import compare_outputs, with_gate
from sizewell.review.model import Verdict
from sizewell.review.saved.output import SavedOutput
from tests.review.builders import assembly, resource, stack, template

TOPIC = template(Topic=resource("AWS::SNS::Topic"))


def output(*environments: str, errors: dict[str, str] | None = None) -> SavedOutput:
    found = {
        name: replace(assembly(stack(TOPIC), environment=name), directory=Path(name)) for name in environments
    }
    return SavedOutput("side", found, errors or {})


def test_where_base_does_not_synthesize_nothing_is_called_unchanged() -> None:
    base = output("qa", errors={"dev": "broken", "prod": "broken"})
    assert compare_outputs(base, output("dev", "prod", "qa")).verdict == Verdict(
        level="look", sentence="Head is reviewed alone in prod and dev, where base does not synthesize."
    )


def test_without_base_nothing_is_called_unchanged() -> None:
    assert compare_outputs(None, output("dev")).verdict == Verdict(
        level="look", sentence="Head is reviewed alone, because there is no base."
    )


def test_a_new_environment_is_compared() -> None:
    sentence = compare_outputs(output("dev"), output("dev", "qa")).verdict.sentence
    assert sentence == "In qa, app-stack is new."


def test_what_a_retained_nested_stack_holds_is_not_lost() -> None:
    def base(**policy: Any) -> SavedOutput:
        nested = resource("AWS::CloudFormation::Stack", **policy)
        parent = stack(template(Topic=resource("AWS::SNS::Topic"), Nested=nested))
        bucket = stack(template(Bucket=resource("AWS::S3::Bucket")), "app-stack/Nested")
        inner = replace(bucket, parent="app-stack", nested_id="Nested")
        return SavedOutput("base", {"dev": assembly(parent, inner)})

    assert compare_outputs(base(), output("dev")).verdict.level == "danger"
    assert compare_outputs(base(DeletionPolicy="Retain"), output("dev")).verdict.level == "look"


@pytest.mark.parametrize(
    ("condition", "stops"),
    [
        ("danger", ["no-base@prod"]),
        ("danger@prod", ["no-base@prod"]),
        ("danger@qa", []),
        ("no-base", ["no-base"]),
        ("danger,no-base@prod", ["no-base@prod"]),
    ],
)
def test_a_base_that_does_not_synthesize_passes_no_condition(condition: str, stops: list[str]) -> None:
    base, head = output("qa", errors={"prod": "broken"}), output("prod", "qa")
    gate = with_gate(compare_outputs(base, head), [condition], base, head).gate
    assert gate
    assert [failure.condition for failure in gate.failures] == stops


def test_without_any_base_no_condition_passes() -> None:
    head = output("prod")
    gate = with_gate(compare_outputs(None, head), ["danger"], None, head).gate
    assert gate
    assert [failure.condition for failure in gate.failures] == ["no-base@prod"]


def test_a_new_environment_passes() -> None:
    base, head = output("qa"), output("prod", "qa")
    gate = with_gate(compare_outputs(base, head), ["danger"], base, head).gate
    assert gate
    assert gate.failures == ()
