from typing import Any

import pytest

from review.model import Hazard
from tests.review.builders import resource, template
from tests.review.hazards.apps import alarm, endpoint_app, hazards, rules


def app(**properties: Any) -> dict[str, Any]:
    return template(Alarm=alarm(**properties), Topic=resource("AWS::SNS::Topic"))


WITHOUT = template(Topic=resource("AWS::SNS::Topic"))


def test_an_alarm_that_is_gone() -> None:
    assert hazards(app(), WITHOUT, environment="prod") == (
        Hazard(
            rule="alarm-removed",
            severity="danger",
            environment="prod",
            stack="app-stack",
            logical_id="Alarm",
            subject="alarm latency",
            cause="ModelLatency 100 is watched → no longer",
            consequence=(
                "Nobody is told when it happens, and a deployment that names the alarm for its "
                "rollback does not go back."
            ),
            what_to_do=(
                "Keep the alarm; where it is too loud, mend what it shows or raise its "
                "threshold with a reason."
            ),
        ),
    )
    assert hazards(WITHOUT, app(), environment="prod") == ()


def test_elsewhere_it_is_a_warning() -> None:
    assert [one.severity for one in hazards(app(), WITHOUT)] == ["warning"]


def test_the_same_alarm_under_another_logical_id_is_not_gone() -> None:
    head = template(Other=alarm(AlarmName=None), Topic=resource("AWS::SNS::Topic"))
    assert hazards(app(), head) == ()


def test_a_gpu_alarm_goes_with_the_gpu() -> None:
    gpu = alarm(MetricName="GPUUtilization", Namespace="/aws/sagemaker/Endpoints")
    base = endpoint_app(scaling=None, Alarm=gpu)
    assert hazards(base, endpoint_app(scaling=None, instance_type="ml.c7i.xlarge")) == ()
    assert rules(hazards(base, endpoint_app(scaling=None, instance_type="ml.g6.xlarge"))) == ["alarm-removed"]


def test_an_alarm_goes_with_the_variant() -> None:
    found = hazards(endpoint_app(Alarm=alarm()), endpoint_app(variant="main"))
    assert rules(found) == ["variant-renamed"]


def test_a_higher_threshold() -> None:
    assert hazards(app(), app(Threshold=200)) == (
        Hazard(
            rule="alarm-loosened",
            severity="warning",
            environment="dev",
            stack="app-stack",
            logical_id="Alarm",
            subject="alarm latency",
            cause="Threshold 100 → 200 (GreaterThanThreshold)",
            consequence="The alarm fires later or not at all for what it fired for until now.",
            what_to_do=(
                "Say in the pull request why the old limit was wrong; look at the metric of the last weeks."
            ),
        ),
    )


LESS = {"ComparisonOperator": "LessThanThreshold"}


@pytest.mark.parametrize(
    ("base", "head", "cause"),
    [
        ({**LESS}, {**LESS, "Threshold": 50}, "Threshold 100 → 50 (LessThanThreshold)"),
        ({}, LESS, "ComparisonOperator GreaterThanThreshold → LessThanThreshold"),
        ({"ComparisonOperator": "GreaterThanOrEqualToThreshold"}, {},
         "ComparisonOperator GreaterThanOrEqualToThreshold → GreaterThanThreshold"),
        ({}, {"DatapointsToAlarm": 4}, "DatapointsToAlarm 3 of 5 → 4 of 5"),
        ({}, {"DatapointsToAlarm": None}, "DatapointsToAlarm 3 of 5 → 5 of 5"),
        ({}, {"EvaluationPeriods": 3}, "DatapointsToAlarm 3 of 5 → 3 of 3"),
        ({}, {"Period": 300}, "Period 60 → 300 seconds"),
        ({}, {"TreatMissingData": "notBreaching"}, "TreatMissingData missing → notBreaching"),
        ({"TreatMissingData": "breaching"}, {"TreatMissingData": None}, "TreatMissingData breaching → missing"),
        ({"Statistic": "Maximum"}, {"Statistic": None, "ExtendedStatistic": "p90"}, "statistic Maximum → p90"),
    ],
)  # fmt: skip
def test_weaker_in_one_way(base: dict[str, Any], head: dict[str, Any], cause: str) -> None:
    assert [(one.rule, one.cause) for one in hazards(app(**base), app(**head))] == [("alarm-loosened", cause)]
    assert "alarm-actions-removed" not in rules(hazards(app(**head), app(**base)))


@pytest.mark.parametrize(
    "head",
    [
        {"Threshold": 50},
        {"DatapointsToAlarm": 2},
        {"EvaluationPeriods": 6},
        {"Period": 30},
        {"TreatMissingData": "breaching"},
        {"TreatMissingData": None},
        {"Threshold": {"Ref": "Limit"}},
        {"AlarmDescription": "reworded"},
    ],
)
def test_stronger_unknown_or_the_same(head: dict[str, Any]) -> None:
    assert hazards(app(), app(**head)) == ()


def test_the_threshold_of_a_metric_by_vcpu_follows_the_type() -> None:
    def sized(instance_type: str, threshold: int) -> dict[str, Any]:
        cpu = alarm(MetricName="CPUUtilization", Threshold=threshold)
        return endpoint_app(scaling=None, instance_type=instance_type, Alarm=cpu)

    assert hazards(sized("ml.c7i.xlarge", 360), sized("ml.c7i.2xlarge", 720)) == ()
    assert rules(hazards(sized("ml.c7i.xlarge", 360), sized("ml.c7i.xlarge", 720))) == ["alarm-loosened"]


def test_an_alarm_that_tells_nobody() -> None:
    assert hazards(app(), app(AlarmActions=[], ActionsEnabled=False), environment="prod") == (
        Hazard(
            rule="alarm-actions-removed",
            severity="danger",
            environment="prod",
            stack="app-stack",
            logical_id="Alarm",
            subject="alarm latency",
            cause=(
                "AlarmActions arn:aws:sns:us-east-1:111122223333:alarms → none; ActionsEnabled true → false"
            ),
            consequence="The alarm still changes its state, but fewer or none are told.",
            what_to_do="Keep an action that reaches somebody who can act.",
        ),
    )


@pytest.mark.parametrize("actions", [["arn:aws:sns:us-east-1:111122223333:others"], {"Ref": "Actions"}])
def test_other_or_unknown_actions(actions: Any) -> None:
    assert hazards(app(), app(AlarmActions=actions)) == ()
