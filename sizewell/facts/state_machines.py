"""What Step Functions says of executions, and what time the machines of jobs give their jobs, and take beyond them."""

#: A year: https://docs.aws.amazon.com/step-functions/latest/dg/service-quotas.html
MAX_EXECUTION_S = 365 * 24 * 3600
#: The metrics that count the executions of a machine that ended badly, and what became of those, in the namespace AWS/States with
#: the dimension StateMachineArn: https://docs.aws.amazon.com/step-functions/latest/dg/procedure-cw-metrics.html
FAILURE_METRICS = {
    "ExecutionsFailed": "failed",
    "ExecutionsTimedOut": "timed out",
    "ExecutionsAborted": "was aborted",
}
#: Ours, like all that follows. Time of an execution after its deadline: to stop a job and see it end, to repeat throttled
#: requests, and to tell people.
EXECUTION_GRACE_S = 3600
#: How much longer than a training may run its task waits. SageMaker ends a training at its limit by itself: with SIGTERM, 120
#: seconds (API reference, StoppingCondition) and the upload of what it has saved. The task ends what still waits for capacity:
#: ``MaxPendingTimeInSeconds`` does so for accelerated instances only, after half an hour at least.
TASK_GRACE_S = 900
#: No job is started with less time: instances need as long to start (``START_UP_HOURS`` of the estimates).
SHORTEST_ATTEMPT_S = 600
#: How often a job that was stopped is looked at, and how long it may take to end.
STOP_POLL_S = 30
STOP_LIMIT_S = 1800
