"""How CloudWatch evaluates an alarm, and which alarms of an endpoint call a new fleet back.

https://docs.aws.amazon.com/AmazonCloudWatch/latest/APIReference/API_PutMetricAlarm.html, read 2026-11-22
"""

from dataclasses import dataclass

from sizewell.facts.asynchronous import WAKE_S
from sizewell.facts.durations import DAY_S, HOUR_S, MINUTE_S

#: What all periods of an alarm may cover together: a week, and a day where one of them is shorter than an hour.
MAX_EVALUATED_S = 7 * DAY_S
MAX_EVALUATED_IN_SHORT_PERIODS_S = DAY_S


@dataclass(frozen=True, kw_only=True, slots=True)
class AlarmEvaluation:
    """An alarm goes off when ``datapoints_to_alarm`` of the last ``evaluation_periods`` of ``period_s`` seconds breach.

    Raises ValueError for what CloudWatch refuses or never evaluates.
    """

    period_s: int = MINUTE_S
    datapoints_to_alarm: int
    evaluation_periods: int

    def __post_init__(self) -> None:
        """Check what PutMetricAlarm would refuse in the middle of a deployment."""
        for _, reason in self.faults(self.period_s, self.datapoints_to_alarm, self.evaluation_periods):
            raise ValueError(reason)

    @staticmethod
    def faults(
        period_s: int, datapoints_to_alarm: int, evaluation_periods: int
    ) -> tuple[tuple[str, str], ...]:
        """Return the name of each number that is wrong beside the others, and why."""
        found = []
        if period_s < MINUTE_S or period_s % MINUTE_S:
            found.append(
                ("period_s", f"is {period_s}, but must be whole minutes: endpoints publish once a minute")
            )
        if not 1 <= datapoints_to_alarm <= evaluation_periods:
            found.append(
                (
                    "datapoints_to_alarm",
                    f"is {datapoints_to_alarm}, but must lie between 1 and evaluation_periods ({evaluation_periods})",
                )
            )
        longest_s = MAX_EVALUATED_IN_SHORT_PERIODS_S if period_s < HOUR_S else MAX_EVALUATED_S
        if period_s * evaluation_periods > longest_s:
            found.append(
                (
                    "evaluation_periods",
                    f"is {evaluation_periods}: with period_s ({period_s}) it covers {period_s * evaluation_periods:,} "
                    f"seconds, but CloudWatch takes {longest_s:,} at most"
                    + (" of periods below an hour" if period_s < HOUR_S else ""),
                )
            )
        return tuple(found)


#: Ours. Of what requests tell, and of what instances tell: a scale-out has time to help.
OF_REQUESTS = AlarmEvaluation(datapoints_to_alarm=3, evaluation_periods=5)
OF_INSTANCES = AlarmEvaluation(datapoints_to_alarm=10, evaluation_periods=15)

#: Ours. CloudWatch looks at the last hour every minute ("a sliding window", which "advances each time the alarm is evaluated":
#: https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/alarm-evaluation-window.html, read 2026-11-28). So an hour tells
#: of many bad requests within minutes, and also of few that go on. The alarm stays on for some hours after: what comes and goes
#: is one incident. Of few requests, periods are longer.
OF_SHARES = tuple(
    AlarmEvaluation(period_s=period_s, datapoints_to_alarm=1, evaluation_periods=periods)
    for period_s, periods in ((HOUR_S, 4), (4 * HOUR_S, 3), (DAY_S, 2))
)
#: Fewer errors in a period are chance, unless any error counts.
LEAST_ERRORS = 5
ERROR_ALARMS = ("server_error_rate", "model_error_rate", "client_error_rate", "error_rate")
#: Alarms on slow requests, and how many of 100 requests may be slow.
SLOW_PERCENT = {"model_latency_p95": 5, "model_latency_p99": 1, "duration_p95": 5, "duration_p99": 1}
#: All alarms on a share of the requests.
SHARE_ALARMS = (*ERROR_ALARMS, *SLOW_PERCENT, "throttles", "invocation_failures", "model_cache_hit")

#: Ours. A request that was lost does not come back: the first one tells, and those of the next hour belong to it.
OF_LOSS = AlarmEvaluation(period_s=300, datapoints_to_alarm=1, evaluation_periods=12)
_WAKE_MINUTES = round(2 * WAKE_S / MINUTE_S)
#: Ours. Requests wait without an instance while one starts. After twice that time, no instance comes.
OF_WAKING = AlarmEvaluation(datapoints_to_alarm=_WAKE_MINUTES, evaluation_periods=_WAKE_MINUTES)

#: Ours: what a new fleet is called back for: what its container answers, and how late. Clients' own errors do not count.
ROLLBACK_ALARMS = ("server_error_rate", "model_error_rate", "model_latency_p95")
#: Of a function, the same.
LAMBDA_ROLLBACK_ALARMS = ("error_rate", "duration_p95")
#: Of an asynchronous endpoint, which publishes neither rates of time-outs nor percentiles: whatever fails.
ASYNCHRONOUS_ROLLBACK_ALARMS = ("invocation_failures",)


def least_errors(threshold: float) -> int:
    """Return how many errors in a period are a share of the requests: above 0, those that are no chance."""
    return LEAST_ERRORS if threshold else 1


#: How many metrics an alarm on a share is on; other alarms are on one. CloudWatch bills each.
METRICS_OF_ALARM = {**dict.fromkeys(SHARE_ALARMS, 2), "model_error_rate": 3}
METRICS_OF_ROLLBACK_ALARM = {"model_error_rate": 2, "invocation_failures": 2, "error_rate": 2}
