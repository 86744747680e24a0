import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from benchmarks.equivalence import DifferentResourcesError, check_same_resources, count_resources
from benchmarks.runner import prepare_sides

pytestmark = pytest.mark.cdk

Change = Callable[[dict[str, Any]], None]


@pytest.fixture(scope="module")
def assemblies_of_both(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    sizewell, handwritten = prepare_sides(tmp_path_factory.mktemp("benchmark") / "synth", 1)
    for side in (sizewell, handwritten):
        run = side.run()
        assert run.wall_s > 0
        assert run.cpu_s > 0
    return sizewell.assembly, handwritten.assembly


def test_both_sides_make_the_same_resources(assemblies_of_both: tuple[Path, Path]) -> None:
    sizewell, handwritten = assemblies_of_both
    check_same_resources(sizewell, handwritten)
    assert count_resources(sizewell) == count_resources(handwritten) > 30


def test_both_sides_are_validated_without_findings(assemblies_of_both: tuple[Path, Path]) -> None:
    reports = [json.loads((a / "validation-report.json").read_text("utf-8")) for a in assemblies_of_both]
    assert reports[0] == reports[1]
    assert all(not plugin["violations"] for report in reports for plugin in report["pluginReports"])


def _remove(template: dict[str, Any]) -> None:
    logical_id, _ = _first(template, "AWS::CloudWatch::Alarm")
    del template["Resources"][logical_id]


def _raise_threshold(template: dict[str, Any]) -> None:
    _properties(template, "AWS::CloudWatch::Alarm")["Threshold"] += 1


def _rename_metric(template: dict[str, Any]) -> None:
    _properties(template, "AWS::CloudWatch::Alarm")["MetricName"] = "Invocations"


def _change_instance_type(template: dict[str, Any]) -> None:
    (variant,) = _properties(template, "AWS::SageMaker::EndpointConfig")["ProductionVariants"]
    variant["InstanceType"] = "ml.m5.large"


def _scale_further(template: dict[str, Any]) -> None:
    _properties(template, "AWS::ApplicationAutoScaling::ScalableTarget")["MaxCapacity"] += 1


def _track_another_target(template: dict[str, Any]) -> None:
    policy = _properties(template, "AWS::ApplicationAutoScaling::ScalingPolicy")
    policy["TargetTrackingScalingPolicyConfiguration"]["TargetValue"] += 1


def _allow_one_action_more(template: dict[str, Any]) -> None:
    statements = _properties(template, "AWS::IAM::ManagedPolicy")["PolicyDocument"]["Statement"]
    statements.append({"Effect": "Allow", "Action": "s3:PutObject", "Resource": "*"})


@pytest.mark.parametrize(
    "change",
    [
        _remove,
        _raise_threshold,
        _rename_metric,
        _change_instance_type,
        _scale_further,
        _track_another_target,
        _allow_one_action_more,
    ],
)
def test_a_difference_is_found(change: Change, assemblies_of_both: tuple[Path, Path], tmp_path: Path) -> None:
    sizewell, handwritten = assemblies_of_both
    changed = shutil.copytree(handwritten, tmp_path / "changed")
    path = changed / "bench-bench-endpoint-000.template.json"
    template = json.loads(path.read_text("utf-8"))
    change(template)
    path.write_text(json.dumps(template), "utf-8")
    with pytest.raises(DifferentResourcesError, match="bench-bench-endpoint-000"):
        check_same_resources(sizewell, changed)


def _first(template: dict[str, Any], resource_type: str) -> tuple[str, dict[str, Any]]:
    resources: dict[str, dict[str, Any]] = template["Resources"]
    return next(item for item in resources.items() if item[1]["Type"] == resource_type)


def _properties(template: dict[str, Any], resource_type: str) -> dict[str, Any]:
    properties: dict[str, Any] = _first(template, resource_type)[1]["Properties"]
    return properties
