"""What Step Functions says of executions, and the time that the machines of jobs have beyond their jobs."""

#: A year: https://docs.aws.amazon.com/step-functions/latest/dg/service-quotas.html
MAX_EXECUTION_S = 365 * 24 * 3600
#: The metrics that count the executions of a machine that ended badly, and what became of those, in the namespace AWS/States with
#: the dimension StateMachineArn: https://docs.aws.amazon.com/step-functions/latest/dg/procedure-cw-metrics.html
FAILURE_METRICS = {
    "ExecutionsFailed": "failed",
    "ExecutionsTimedOut": "timed out",
    "ExecutionsAborted": "was aborted",
}
#: Time of an execution beyond its tasks: to stop jobs, and to repeat throttled requests.
EXECUTION_GRACE_S = 3600
#: Time that the task of a training may take beyond the job's own limit: two hours to be given on-demand capacity (the service's
#: shortest MaxPendingTimeInSeconds) and one to start and to upload the model. A running job is bounded by its stopping
#: condition; the task's limit ends a job that stays pending, or the waiting for a completion event that got lost.
TASK_GRACE_S = 3 * 3600
