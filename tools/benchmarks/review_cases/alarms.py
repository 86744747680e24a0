"""Changes of alarms."""

from functools import partial

from tools.benchmarks.review_cases.case import Output, TemplateCase, changed, removed

BERT = "support-bert"
STACK = "demo-prod-support-bert"
LATENCY = "AlarmsModelLatencyP958642BF53"
_CHANGED = f"changed: {STACK}/{LATENCY}"
_LOOSENED = frozenset({_CHANGED, f"warning alarm-loosened: {STACK} {LATENCY}"})
#: One alarm costs 0.10 USD per month.
_ONE_ALARM = "cost: prod support-bert {0}0.10 / {0}0.10 / {0}0.10"


_alarm = partial(changed, BERT, LATENCY)


def _added(output: Output) -> None:
    with output.resources(BERT) as resources:
        extra = {
            **resources[LATENCY],
            "Properties": {**resources[LATENCY]["Properties"], "AlarmName": "more"},
        }
        extra["Metadata"] = {"aws:cdk:path": f"{STACK}/Alarms/More"}
        resources["AlarmsMore"] = extra


CASES = (
    TemplateCase("an alarm at twice the latency", _alarm(Threshold=200000), _LOOSENED),
    TemplateCase("an alarm at half the latency", _alarm(Threshold=50000), frozenset({_CHANGED})),
    TemplateCase("an alarm after five of five", _alarm(DatapointsToAlarm=5), _LOOSENED),
    TemplateCase(
        "an alarm that looks at one period",
        _alarm(DatapointsToAlarm=1, EvaluationPeriods=1),
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
