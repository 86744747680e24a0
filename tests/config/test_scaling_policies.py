"""Tracked metrics and steps: what is refused before anything is planned, at its key."""

from collections.abc import Callable

import pytest

MessageFor = Callable[[str], str]

SESSIONS = "{namespace: Company/Chat, name: Sessions}"
BUSY = "{namespace: AWS/SageMaker, name: ConcurrentRequestsPerModel, statistic: Maximum}"
WEEKEND = "weekdays: [SAT, SUN]"


@pytest.mark.parametrize(
    ("scaling", "key", "words"),
    [
        ("target: 70", "target", "this key belongs elsewhere: workloads.<name>.scaling.track.<name>.target"),
        ("track: gpu", "track", 'got "gpu" (text)'),
        ("track: {gpuu: {target: 70}}", "track.gpuu", "and has no metrics of its own; did you mean gpu?"),
        (
            f"track: {{gpu: {{target: 70, metrics: {{ours: {SESSIONS}}}}}}}",
            "track.gpu.metrics",
            "gpu is a metric of the endpoint; give metrics of your own another name",
        ),
        (f"track: {{sessions: {{metrics: {{open: {SESSIONS}}}}}}}", "track.sessions.target", "is missing"),
        ("track: {cpu: {target: 180}}", "track.cpu.target", "is 180, but cpu is 100 at most"),
        (
            "track: {latency: {target: 60001}}",
            "track.latency.target",
            "is 60001, but latency is 60000 at most",
        ),
        (
            f"track: {{sessions: {{target: 1, metrics: {{a: {SESSIONS}, b: {BUSY}}}}}}}",
            "track.sessions.expression",
            "is missing: say how a, b become one value",
        ),
        (
            f"track: {{sessions: {{target: 1, metrics: {{a: {SESSIONS}, b: {BUSY}}}, expression: a / 2}}}}",
            "track.sessions.metrics.b",
            "has no effect: expression does not name it",
        ),
        (
            f"track: {{sessions: {{target: 1, metrics: {{a: {SESSIONS}}}, expression: a / instances}}}}",
            "track.sessions.expression",
            "instances is none of metrics (a); state it there",
        ),
        (
            "track: {calls: {target: 70, metrics: {all: {namespace: AWS/SageMaker, name: Invocations, statistic: Sum}}}}",
            "track.calls.metrics",
            "the Sum of Invocations is a total over all instances, and does not fall when instances are added",
        ),
        (
            "track: {cores: {target: 70, metrics: {all: {namespace: /aws/sagemaker/Endpoints, name: CPUUtilization, "
            "statistic: Sum}}}}",
            "track.cores.metrics",
            "the Sum of CPUUtilization is a total over all instances",
        ),
        (
            "track: {ours: {target: 70, metrics: {a: {namespace: AWS/SageMaker, name: CPUUtilization}}}}",
            "track.ours.metrics.a.namespace",
            "CPUUtilization is published in /aws/sagemaker/Endpoints",
        ),
        (
            "track: {ours: {target: 70, metrics: {a: {namespace: AWS/SageMaker, name: ModelLatencies}}}}",
            "track.ours.metrics.a.name",
            "did you mean ModelLatency?",
        ),
        (
            "track: {ours: {target: 70, metrics: {a: {namespace: AWS/SageMaker, name: ConcurrentRequestsPerModel}}}}",
            "track.ours.metrics.a.statistic",
            "ConcurrentRequestsPerModel has no Average; choose one of Minimum, Maximum",
        ),
        (
            "track: {ours: {target: 7, metrics: {a: {namespace: AWS/SageMaker, name: ApproximateBacklogSize}}}}",
            "track.ours.metrics.a.dimensions",
            "is missing: ApproximateBacklogSize is no metric of a variant",
        ),
        (
            "track: {ours: {target: 7, metrics: {a: {namespace: Ours, name: Open, dimensions: {é: a}}}}}",
            "track.ours.metrics.a.dimensions.é",
            "the name is not allowed; expected",
        ),
        ("steps: {burst: {above: 5, add: 1}}", "steps.burst.metric", "is missing: write one of invocations,"),
        (
            f"steps: {{burst: {{metric: cpu, metrics: {{a: {SESSIONS}}}, above: 5, add: 1}}}}",
            "steps.burst.metrics",
            "stand beside metric: cpu; remove one of the two",
        ),
        (
            "steps: {burst: {metric: cpu}}",
            "steps.burst.above",
            "nothing is stated; a step states above and add, or",
        ),
        (
            "steps: {burst: {metric: cpu, above: 50, remove: 1}}",
            "steps.burst.remove",
            "above and remove is stated",
        ),
        (
            "steps: {burst: {metric: cpu, above: 100, add: 1}}",
            "steps.burst.above",
            "is 100, but cpu is 100 at most; lower it",
        ),
        (
            "steps: {idle: {metric: cpu, below: 20, remove: 1}}",
            "steps.idle.remove",
            "works against target tracking, which removes instances as well",
        ),
        (
            "track: {}, steps: {up: {metric: cpu, above: 40, add: 2}, down: {metric: cpu, below: 50, remove: 1}}",
            "steps.down.below",
            "is 50, but up adds instances above 40: between the two, instances would be added and removed at once; write 40 "
            "at most",
        ),
        (
            f"track: {{}}, steps: {{up: {{metrics: {{a: {SESSIONS}}}, above: 4, add: 2}}, "
            f"down: {{metrics: {{a: {SESSIONS}}}, below: 5, remove: 1}}}}",
            "steps.down.below",
            "is 5, but up adds instances above 4",
        ),
        (
            "steps: {more: {metric: cpu, above: 90, add: 1}, some: {metric: cpu, above: 80, add: 3}}",
            "steps.more.add",
            "is 1, but some adds 3 from 80 on: a value beyond would add fewer; write 3 at least",
        ),
        (
            "track: {}, steps: {up: {metric: cpu, above: 60, add: 2}, idle: {metric: cpu, below: 20, remove: 2}, "
            "empty: {metric: cpu, below: 5, remove: 1}}",
            "steps.empty.remove",
            "is 1, but idle removes 2 from 20 on",
        ),
        ("track: {}", "track", "is empty, and no step adds instances"),
        (
            "track: {}, steps: {burst: {metric: cpu, above: 50, add: 1}}",
            "track",
            "is empty, and no step removes instances",
        ),
        (
            f"track: {{peak: {{target: 1, metrics: {{a: {SESSIONS}}}}}}}, steps: {{peak: {{metric: cpu, above: 5, add: 1}}}}",
            "steps.peak",
            "has the name of a tracked metric",
        ),
        (
            'min_instances: 2, schedules: {nights: {at: "20:00", min_instances: 2}}',
            "schedules.nights",
            "never changes anything: its bounds are those that hold before it begins",
        ),
        (
            'schedules: {days: {at: "08:00", min_instances: 3}, nights: {at: "20:00"}, '
            f'late: {{at: "23:00", {WEEKEND}}}}}',
            "schedules.late",
            "never changes anything",
        ),
    ],
)
def test_what_does_not_go_is_said_at_its_key(
    message_for: MessageFor, scaling: str, key: str, words: str
) -> None:
    message = message_for(f"workloads:\n  support-bert:\n    scaling: {{{scaling}}}\n")
    assert f"workloads.support-bert.scaling.{key}\n" in message
    assert words in message


@pytest.mark.parametrize(
    "scaling",
    [
        f"track: {{sessions: {{target: 1.5, metrics: {{a: {SESSIONS}, b: {BUSY}}}, expression: 'IF(b > 1e1, a / b, a)'}}}}",
        "track: {}, steps: {up: {metric: cpu, above: 60, add: 2}, down: {metric: cpu, below: 20, remove: 1}}",
        "track: {}, steps: {up: {metric: cpu, above: 20, add: 2}, down: {metric: cpu, below: 20, remove: 1}}",
        "track: {}, steps: {up: {metric: cpu, above: 20, add: 2}, down: {metric: latency, below: 90, remove: 1}}",
        # The bounds of scaling stated by a schedule are a way back to them.
        'schedules: {days: {at: "08:00", min_instances: 3}, nights: {at: "20:00"}}',
    ],
)
def test_what_goes_loads(load_dev: Callable[[str], object], scaling: str) -> None:
    load_dev(f"workloads:\n  support-bert:\n    scaling: {{{scaling}}}\n")
