from typing import Any

import pytest

from tests.review.builders import resource, template
from tests.review.hazards.apps import alarm, described, endpoint_app, hazards, rules, text


def app(**properties: Any) -> dict[str, Any]:
    return template(Alarm=alarm(**properties), Topic=resource("AWS::SNS::Topic"))


WITHOUT = template(Topic=resource("AWS::SNS::Topic"))


def test_an_alarm_that_is_gone() -> None:
    assert described(hazards(app(), WITHOUT, environment="prod")) == text("""
        danger alarm-removed, prod/app-stack/Alarm: alarm latency
        ModelLatency 100 is watched → no longer
        The alarm no longer notifies anybody. A deployment that uses the alarm for its rollback does not roll back.
        Keep the alarm. If it fires too often, fix the cause, or raise the threshold and say why.
        """)
    assert hazards(WITHOUT, app(), environment="prod") == ()


def test_elsewhere_it_is_a_warning() -> None:
    assert [hazard.severity for hazard in hazards(app(), WITHOUT)] == ["warning"]


def test_the_same_alarm_under_another_logical_id_is_not_gone() -> None:
    head = template(Other=alarm(AlarmName=None), Topic=resource("AWS::SNS::Topic"))
    assert hazards(app(), head) == ()


def test_an_alarm_that_only_scales_goes_with_its_policy() -> None:
    policy = resource("AWS::ApplicationAutoScaling::ScalingPolicy", PolicyName="WakeFromZero")
    topic = resource("AWS::SNS::Topic")
    wakes = alarm(AlarmActions=[{"Ref": "Policy"}])
    base = template(Alarm=wakes, Policy=policy, Topic=topic)
    assert hazards(base, WITHOUT, theme="alarms") == ()
    assert rules(hazards(base, template(Policy=policy, Topic=topic), theme="alarms")) == ["alarm-removed"]
    scales_and_notifies = alarm(AlarmActions=[{"Ref": "Policy"}, {"Ref": "Topic"}])
    both = template(Alarm=scales_and_notifies, Policy=policy, Topic=topic)
    assert rules(hazards(both, WITHOUT, theme="alarms")) == ["alarm-removed"]


def test_an_alarm_on_failed_executions_goes_with_its_machine_alone() -> None:
    machine = resource("AWS::StepFunctions::StateMachine", RoleArn="arn:role")
    failed = alarm(
        AlarmName=None,
        Namespace="AWS/States",
        MetricName="ExecutionsFailed",
        Dimensions=[{"Name": "StateMachineArn", "Value": {"Ref": "Machine"}}],
    )
    topic = resource("AWS::SNS::Topic")
    base = template(Alarm=failed, Machine=machine, Topic=topic)
    assert rules(hazards(base, template(Machine=machine, Topic=topic))) == ["alarm-removed"]
    assert hazards(base, template(Topic=topic), theme="alarms") == ()


def test_a_gpu_alarm_goes_with_the_gpu() -> None:
    gpu = alarm(MetricName="GPUUtilization", Namespace="/aws/sagemaker/Endpoints")
    base = endpoint_app(scaling=None, Alarm=gpu)
    without_gpu, other_gpu = (
        endpoint_app(scaling=None, instance_type=name) for name in ("ml.c7i.xlarge", "ml.g6.xlarge")
    )
    assert hazards(base, without_gpu, theme="alarms") == ()
    assert rules(hazards(base, other_gpu, theme="alarms")) == ["alarm-removed"]


def test_an_alarm_goes_with_the_variant() -> None:
    found = hazards(endpoint_app(Alarm=alarm()), endpoint_app(variant="main"))
    assert rules(found) == ["variant-renamed"]


def test_a_higher_threshold() -> None:
    assert described(hazards(app(), app(Threshold=200))) == text("""
        warning alarm-loosened, dev/app-stack/Alarm: alarm latency
        Threshold 100 → 200 (GreaterThanThreshold)
        The alarm fires later, or not at all, in cases in which it fires today.
        Look at the metric of the last weeks, and say in the pull request why the old limit was wrong.
        """)


def test_a_tenth_of_the_threshold() -> None:
    assert described(hazards(app(), app(Threshold=10))) == text("""
        warning alarm-always-on, dev/app-stack/Alarm: alarm latency
        Threshold 100 → 10
        The alarm goes off at a tenth of the value or less, perhaps all the time, and then nobody looks any more.
        Compare the threshold with the metric of the last weeks, and with its unit.
        """)
    assert hazards(app(), app(Threshold=11)) == ()


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
    assert [(hazard.rule, hazard.cause) for hazard in hazards(app(**base), app(**head))] == [
        ("alarm-loosened", cause)
    ]
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

    assert hazards(sized("ml.c7i.xlarge", 360), sized("ml.c7i.2xlarge", 720), theme="alarms") == ()
    assert rules(hazards(sized("ml.c7i.xlarge", 360), sized("ml.c7i.xlarge", 720))) == ["alarm-loosened"]


def test_an_alarm_that_tells_nobody() -> None:
    assert described(hazards(app(), app(AlarmActions=[], ActionsEnabled=False), environment="prod")) == text("""
        danger alarm-actions-removed, prod/app-stack/Alarm: alarm latency
        AlarmActions arn:aws:sns:us-east-1:111122223333:alarms → none; ActionsEnabled true → false
        The alarm still changes its state, but it notifies fewer recipients or nobody.
        Keep an action that reaches somebody who can act.
        """)


def test_other_actions() -> None:
    (found,) = hazards(
        app(), app(AlarmActions=["arn:aws:sns:us-east-1:111122223333:others"]), environment="prod"
    )
    assert (found.rule, found.severity) == ("alarm-actions-removed", "warning")
    assert found.consequence.startswith("The alarm notifies other recipients")


@pytest.mark.parametrize(
    "actions", [{"Ref": "Actions"}, ["arn:aws:sns:us-east-1:111122223333:alarms", "arn:aws:sns:::more"]]
)
def test_unknown_or_more_actions(actions: Any) -> None:
    assert hazards(app(), app(AlarmActions=actions)) == ()


def query(identifier: str, period: int, metric: str = "Errors") -> dict[str, Any]:
    return {
        "Id": identifier,
        "MetricStat": {"Metric": {"MetricName": metric}, "Period": period, "Stat": "Sum"},
    }


def test_a_longer_period_inside_of_an_expression() -> None:
    base, head = (
        app(MetricName=None, Period=None, Metrics=[query("e", period), {"Id": "r", "Expression": "e / 2"}])
        for period in (60, 3600)
    )
    assert [hazard.cause for hazard in hazards(base, head)] == ["Period of e 60 → 3600 seconds"]
    assert hazards(head, base) == ()


def slow_above(microseconds: int) -> dict[str, Any]:
    stat = {"Metric": {"MetricName": "ModelLatency"}, "Period": 3600, "Stat": f"PR(0:{microseconds})"}
    queries = [{"Id": "share", "Expression": "100 - fast"}, {"Id": "fast", "MetricStat": stat}]
    return app(MetricName=None, Statistic=None, Period=None, Threshold=5, Metrics=queries)


def test_a_share_of_slow_requests_is_looser_where_they_may_take_longer() -> None:
    assert [(found.rule, found.cause) for found in hazards(slow_above(80_000), slow_above(160_000))] == [
        ("alarm-loosened", "values count above 80000 → 160000")
    ]
    assert hazards(slow_above(80_000), slow_above(40_000)) == ()


def test_a_bound_in_another_unit_is_always_exceeded() -> None:
    assert [(found.rule, found.cause) for found in hazards(slow_above(80_000), slow_above(80))] == [
        ("alarm-always-on", "values count above 80000 → 80")
    ]


def with_composite(rule: Any, **composite: Any) -> dict[str, Any]:
    head = app(AlarmActions=None)
    properties = {"AlarmRule": rule, **composite}
    head["Resources"]["Incident"] = resource("AWS::CloudWatch::CompositeAlarm", properties)
    return head


@pytest.mark.parametrize(
    "rule", [{"Fn::Join": ["", ['ALARM("', {"Ref": "Alarm"}, '")']]}, 'ALARM("latency")', "ALARM(latency)"]
)
def test_an_alarm_that_a_composite_tells_people_of_still_tells_them(rule: Any) -> None:
    told = with_composite(rule, AlarmActions=["arn:aws:sns:us-east-1:111122223333:alarms"])
    assert hazards(app(), told) == ()
    assert rules(hazards(app(), with_composite(rule))) == ["alarm-actions-removed"]


def test_a_composite_of_another_alarm_tells_nobody_of_this_one() -> None:
    other = with_composite('ALARM("latency-2")', AlarmActions=["arn:aws:sns:us-east-1:111122223333:alarms"])
    assert rules(hazards(app(), other)) == ["alarm-actions-removed"]


@pytest.mark.parametrize(
    ("operator", "weaker", "stronger"),
    [
        ("GreaterThanThreshold", "Minimum", "Average"),
        ("GreaterThanThreshold", "Average", "Maximum"),
        ("GreaterThanThreshold", "Average", "Sum"),
        ("LessThanThreshold", "Maximum", "Average"),
        ("LessThanThreshold", "Average", "Minimum"),
    ],
)
def test_a_statistic_that_fires_less_often(operator: str, weaker: str, stronger: str) -> None:
    base, head = (app(ComparisonOperator=operator, Statistic=name) for name in (stronger, weaker))
    assert [hazard.cause for hazard in hazards(base, head)] == [f"statistic {stronger} → {weaker}"]
    assert hazards(head, base) == ()


def test_an_average_beside_a_percentile_is_neither() -> None:
    base, head = app(), app(Statistic=None, ExtendedStatistic="p50")
    assert hazards(base, head) == hazards(head, base) == ()


def test_an_alarm_that_watches_something_else() -> None:
    assert described(hazards(app(), app(MetricName="Invocations"), environment="prod")) == text("""
        danger alarm-retargeted, prod/app-stack/Alarm: alarm latency
        watches AWS/SageMaker ModelLatency of EndpointName assistant, VariantName primary → AWS/SageMaker
            Invocations of EndpointName assistant, VariantName primary
        No alarm watches the old metric any more. The name and the history of this alarm belong to the old metric.
        Keep the alarm, and add another one for the new metric.
        """)


def dimensions(endpoint_name: Any) -> list[dict[str, Any]]:
    return [{"Name": "VariantName", "Value": "primary"}, {"Name": "EndpointName", "Value": endpoint_name}]


@pytest.mark.parametrize(
    ("head", "cause"),
    [
        (
            {"Dimensions": dimensions("other")},
            "watches AWS/SageMaker ModelLatency of EndpointName assistant, VariantName primary → "
            "AWS/SageMaker ModelLatency of EndpointName other, VariantName primary",
        ),
        (
            {"MetricName": None, "Metrics": [query("e", 60)]},
            "watches AWS/SageMaker ModelLatency of EndpointName assistant, VariantName primary → none Errors",
        ),
    ],
)
def test_an_alarm_that_watches_another_place_or_an_expression(head: dict[str, Any], cause: str) -> None:
    (found,) = hazards(app(), app(**head), environment="prod")
    assert (found.rule, found.severity, found.cause) == ("alarm-retargeted", "danger", cause)


def test_the_same_metric_by_another_way() -> None:
    by_reference = {"Fn::GetAtt": ["Endpoint", "EndpointName"]}
    base, head = (
        endpoint_app(scaling=None, Alarm=alarm(Dimensions=dimensions(name)))
        for name in ("assistant", by_reference)
    )
    assert hazards(base, head) == hazards(head, base) == ()


def test_what_another_alarm_watches_is_still_watched() -> None:
    base = app(MetricName="Invocations")
    head = template(Alarm=alarm(), Other=alarm(MetricName="Invocations"), Topic=resource("AWS::SNS::Topic"))
    assert hazards(base, head) == ()


def test_an_alarm_follows_an_endpoint_that_goes() -> None:
    base = endpoint_app(scaling=None, Alarm=alarm())
    head = endpoint_app(
        scaling=None, endpoint={"EndpointName": "new"}, Alarm=alarm(Dimensions=dimensions("new"))
    )
    assert rules(hazards(base, head)) == ["endpoint-renamed"]


def test_a_fleet_whose_silence_is_told_no_longer() -> None:
    with_action = app(InsufficientDataActions=["arn:aws:sns:us-east-1:111122223333:alarms"])
    (found,) = hazards(with_action, app(), environment="prod")
    assert (found.rule, found.severity) == ("alarm-actions-removed", "danger")
    assert found.cause == "InsufficientDataActions arn:aws:sns:us-east-1:111122223333:alarms → none"


POLICY = resource("AWS::ApplicationAutoScaling::ScalingPolicy", {"PolicyName": "WakeFromZero"})


def waking(name: str = "assistant", **others: Any) -> dict[str, Any]:
    dimensions = [{"Name": "EndpointName", "Value": name}]
    wakes = alarm(
        AlarmActions=[{"Ref": "Policy"}], Dimensions=dimensions, MetricName="HasBacklogWithoutCapacity"
    )
    return template(Wakes=wakes, Policy=POLICY, **others)


@pytest.mark.parametrize(
    ("head", "rule"),
    [(template(Policy=POLICY), "alarm-removed"), (waking("assistant-2"), "alarm-retargeted")],
)
def test_an_alarm_that_starts_instances_is_missed_by_requests(head: dict[str, Any], rule: str) -> None:
    """That another alarm on the same metric tells people starts no instance."""
    tells = alarm(
        AlarmName="told",
        Dimensions=[{"Name": "EndpointName", "Value": "assistant"}],
        MetricName="HasBacklogWithoutCapacity",
    )
    base, after = waking(Tells=tells), {**head, "Resources": {**head["Resources"], "Tells": tells}}
    (found,) = hazards(base, after, environment="prod", theme="alarms")
    assert (found.rule, found.effect, found.severity) == (rule, "availability", "danger")
    assert "nothing starts the instances" in found.consequence


@pytest.mark.parametrize(("component", "is_told"), [("guard", False), ("guard-2", True)])
def test_alarms_of_a_removed_component_go_with_it(component: str, is_told: bool) -> None:
    guard = resource("AWS::SageMaker::InferenceComponent", {"InferenceComponentName": component})
    watches = alarm(Dimensions=[{"Name": "InferenceComponentName", "Value": "guard"}])
    topic = resource("AWS::SNS::Topic")
    found = hazards(template(A=watches, C=guard, T=topic), template(T=topic), theme="alarms")
    assert bool(found) is is_told
