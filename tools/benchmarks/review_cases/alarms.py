"""Changes of alarms."""

from functools import partial

from tools.benchmarks.review_cases.case import Change, Json, Output, TemplateCase, changed, edited, removed

BERT = "support-bert"
STACK = "demo-prod-support-bert"
LATENCY = "AlarmsModelLatencyP958642BF53"
_CHANGED = f"changed: {STACK}/{LATENCY}"
_LOOSENED = frozenset({_CHANGED, f"warning alarm-loosened: {STACK} {LATENCY}"})
#: Each of the two metrics of the alarm costs 0.10 USD per month.
_ONE_ALARM = "cost: prod support-bert {0}0.20 / {0}0.20 / {0}0.20"


_alarm = partial(changed, BERT, LATENCY)


def _slow_above(microseconds: int) -> Change:
    def edit(properties: Json) -> None:
        properties["Metrics"][1]["MetricStat"]["Stat"] = f"PR(0:{microseconds})"

    return edited(BERT, LATENCY, edit)


def _added(output: Output) -> None:
    with output.resources(BERT) as resources:
        extra = {
            **resources[LATENCY],
            "Properties": {**resources[LATENCY]["Properties"], "AlarmName": "more"},
        }
        extra["Metadata"] = {"aws:cdk:path": f"{STACK}/Alarms/More"}
        resources["AlarmsMore"] = extra


CASES = (
    TemplateCase("an alarm at twice the latency", _slow_above(200_000), _LOOSENED),
    TemplateCase("an alarm at half the latency", _slow_above(50_000), frozenset({_CHANGED})),
    TemplateCase("an alarm after five of five", _alarm(DatapointsToAlarm=5), _LOOSENED),
    TemplateCase(
        "an alarm that looks at eight periods",
        _alarm(DatapointsToAlarm=1, EvaluationPeriods=8),
        frozenset({_CHANGED}),
    ),
    TemplateCase(
        "an alarm that tells nobody",
        _alarm(AlarmActions=[]),
        frozenset({_CHANGED, f"danger alarm-actions-removed: {STACK} {LATENCY}"}),
    ),
    TemplateCase(
        "an alarm switched off",
        _alarm(ActionsEnabled=False),
        frozenset({_CHANGED, f"danger alarm-actions-removed: {STACK} {LATENCY}"}),
    ),
    TemplateCase(
        "another description of an alarm", _alarm(AlarmDescription="p95 of the model"), frozenset({_CHANGED})
    ),
    TemplateCase(
        "an alarm removed",
        removed(BERT, LATENCY),
        frozenset(
            {
                f"removed: {STACK}/{LATENCY}",
                f"danger alarm-removed: {STACK} {LATENCY}",
                _ONE_ALARM.format("-"),
            }
        ),
    ),
    TemplateCase("an alarm more", _added, frozenset({f"added: {STACK}/AlarmsMore", _ONE_ALARM.format("+")})),
)
