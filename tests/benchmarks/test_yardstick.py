"""Both sides of the benchmark of synth run, are validated alike, and it is said what the yardstick leaves out."""

import json

import pytest

from tools.benchmarks.synth import Side, SizeResult, prepare_sides

pytestmark = pytest.mark.cdk


@pytest.fixture(scope="module")
def sides(tmp_path_factory: pytest.TempPathFactory) -> tuple[Side, Side]:
    sizewell, yardstick = prepare_sides(tmp_path_factory.mktemp("benchmark") / "synth", 1)
    for side in (sizewell, yardstick):
        assert side.run().cpu_s > 0
    return sizewell, yardstick


def test_both_sides_are_validated_by_the_same_rules_without_findings(sides: tuple[Side, Side]) -> None:
    reports = [json.loads((side.assembly / "validation-report.json").read_text("utf-8")) for side in sides]
    assert reports[0] == reports[1]
    assert all(not plugin["violations"] for report in reports for plugin in report["pluginReports"])


def test_an_endpoint_of_the_yardstick_has_what_makes_it_one(sides: tuple[Side, Side]) -> None:
    sizewell, yardstick = (side.resources() for side in sides)
    result = SizeResult(
        endpoint_count=1,
        sizewell_resources=sizewell,
        yardstick_resources=yardstick,
        sizewell=(),
        yardstick=(),
    )
    types = result.resources_per_endpoint
    for name in ("Model", "EndpointConfig", "Endpoint"):
        assert types[f"AWS::SageMaker::{name}"] == (1, 1)
    ours, theirs = types["AWS::CloudWatch::Alarm"]
    assert theirs >= ours > 4
    assert {name for name, (ours, theirs) in types.items() if ours > theirs} == {
        "AWS::Events::Rule",
        "AWS::IAM::ManagedPolicy",
    }
