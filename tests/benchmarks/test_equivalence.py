import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tools.benchmarks.equivalence import DifferentResourcesError, check_same_resources, count_resources
from tools.benchmarks.runner import prepare_sides

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
    _variant(template, "Custom::EndpointScaling")["MaxInstanceCount"] += 1


def _track_another_target(template: dict[str, Any]) -> None:
    (policy,) = _variant(template, "Custom::EndpointScaling")["Policies"]
    policy["TargetValue"] += 1


def _release_for_other_bounds(template: dict[str, Any]) -> None:
    _variant(template, "Custom::ScalingRelease")["MinInstanceCount"] += 1


def _repair_with_another_target(template: dict[str, Any]) -> None:
    (target,) = _properties(template, "AWS::Events::Rule")["Targets"]
    parts = target["Input"]["Fn::Join"][1]
    target["Input"]["Fn::Join"][1] = [
        part.replace('"TargetValue":', '"TargetValue":1') if isinstance(part, str) else part for part in parts
    ]


def _see_failed_deployments_only(template: dict[str, Any]) -> None:
    pattern = _properties(template, "AWS::Events::Rule")["EventPattern"]
    pattern["detail"]["status-details"]["status"].remove("UPDATE_COMPLETE")


def _update_before_the_release(template: dict[str, Any]) -> None:
    release, _ = _first(template, "Custom::ScalingRelease")
    _, endpoint = _first(template, "AWS::SageMaker::Endpoint")
    endpoint["DependsOn"].remove(release)


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
        _release_for_other_bounds,
        _repair_with_another_target,
        _see_failed_deployments_only,
        _update_before_the_release,
        _allow_one_action_more,
    ],
)
def test_a_difference_is_found(change: Change, assemblies_of_both: tuple[Path, Path], tmp_path: Path) -> None:
    sizewell, handwritten = assemblies_of_both
    changed = _changed(handwritten, "bench-bench-endpoint-000", change, tmp_path)
    with pytest.raises(DifferentResourcesError, match="bench-bench-endpoint-000"):
        check_same_resources(sizewell, changed)


def _run_other_code(template: dict[str, Any]) -> None:
    _properties(template, "AWS::Lambda::Function")["Code"]["ZipFile"] += "\n"


def _give_less_time(template: dict[str, Any]) -> None:
    _properties(template, "AWS::Lambda::Function")["Timeout"] = 3


def _admit_other_rules(template: dict[str, Any]) -> None:
    _properties(template, "AWS::Lambda::Permission")["SourceArn"] = "*"


def _repeat_old_calls(template: dict[str, Any]) -> None:
    _properties(template, "AWS::Lambda::EventInvokeConfig")["MaximumEventAgeInSeconds"] = 21600


def _tell_nobody(template: dict[str, Any]) -> None:
    del _properties(template, "AWS::CloudWatch::Alarm")["AlarmActions"]


@pytest.mark.parametrize(
    "change",
    [
        _run_other_code,
        _give_less_time,
        _admit_other_rules,
        _repeat_old_calls,
        _tell_nobody,
        _allow_one_action_more,
    ],
)
def test_a_difference_of_the_foundation_is_found(
    change: Change, assemblies_of_both: tuple[Path, Path], tmp_path: Path
) -> None:
    sizewell, handwritten = assemblies_of_both
    changed = _changed(handwritten, "bench-bench-foundation", change, tmp_path)
    with pytest.raises(DifferentResourcesError, match="bench-bench-foundation"):
        check_same_resources(sizewell, changed)


def _changed(assembly: Path, stack: str, change: Change, directory: Path) -> Path:
    changed = shutil.copytree(assembly, directory / "changed")
    path = changed / f"{stack}.template.json"
    template = json.loads(path.read_text("utf-8"))
    change(template)
    path.write_text(json.dumps(template), "utf-8")
    return changed


def _variant(template: dict[str, Any], resource_type: str) -> dict[str, Any]:
    variant: dict[str, Any]
    (variant,) = _properties(template, resource_type)["Variants"]
    return variant


def _first(template: dict[str, Any], resource_type: str) -> tuple[str, dict[str, Any]]:
    resources: dict[str, dict[str, Any]] = template["Resources"]
    return next(item for item in resources.items() if item[1]["Type"] == resource_type)


def _properties(template: dict[str, Any], resource_type: str) -> dict[str, Any]:
    properties: dict[str, Any] = _first(template, resource_type)[1]["Properties"]
    return properties
