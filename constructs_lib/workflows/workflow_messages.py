"""The states around those of a workflow, by which an execution tells people how it ended.

    Work ──► WorthTelling ──► TellSuccess ──► Succeeded
      │           └─ nothing is ───────────────┘
      └─ any error ─► WhoTells ─► TellFailure ─► Failed
                          └─ a pipeline ────────────┘

An event of a machine that has a customer-managed key has neither output nor error nor cause
(https://docs.aws.amazon.com/step-functions/latest/dg/encryption-at-rest.html), so a rule of EventBridge could only tell that an
execution ended. What ends it from outside its states, a stop by hand and its time limit, and what no state catches is told by
``workflow_alarms``.
"""

from functools import partial

from constructs_lib.workflows.state_language import State, is_json_object, retry

#: How the name of an execution begins that a pipeline started. The pipeline tells people of a failure, with its cause.
STEP_NAME_PREFIX = "step-"
#: The member of an output that lists what is worth telling although the execution succeeded.
WARNINGS = "Warnings"
#: What stands for the topic until the machine is deployed.
TOPIC_PLACEHOLDER = "AlarmTopicArn"
_TELL_TIMEOUT_S = 60


def with_messages(
    work: State, *, noun: str, workload_name: str, partition: str, report_success: bool
) -> State:
    """Return the definition of a machine that runs the states of ``work`` and publishes to the alarm topic how that ended.

    ``noun`` says what it does, such as training. It publishes a success where the output has warnings, or always. The error
    and the output of an execution are those of ``work``.
    """
    publish = partial(_publish, noun, workload_name, partition)
    cause = "$states.input.Cause"
    states: dict[str, State] = {
        "Work": {
            "Type": "Parallel",
            "Branches": [{key: work[key] for key in ("StartAt", "States")}],
            "Output": "{% $states.result[0] %}",
            "Catch": [{"ErrorEquals": ["States.ALL"], "Next": "WhoTells"}],
            "Next": "TellSuccess" if report_success else "WorthTelling",
        },
        "TellSuccess": publish("SUCCEEDED", "'output': $states.input", "Succeeded"),
        "Succeeded": {"Type": "Succeed"},
        "WhoTells": {
            "Type": "Choice",
            "Choices": [
                {
                    "Condition": f"{{% $contains($states.context.Execution.Name, /^{STEP_NAME_PREFIX}/) %}}",
                    "Next": "Failed",
                }
            ],
            "Default": "TellFailure",
        },
        "TellFailure": publish(
            "FAILED",
            f"'error': $states.input.Error, 'cause': {is_json_object(cause)} ? $parse({cause}) : {cause}",
            "Failed",
        ),
        "Failed": {
            "Type": "Fail",
            "Error": "{% $states.input.Error %}",
            "Cause": f"{{% $exists({cause}) ? {cause} : '' %}}",
        },
    }
    if not report_success:
        states["WorthTelling"] = {
            "Type": "Choice",
            "Choices": [
                {"Condition": f"{{% $count($states.input.{WARNINGS}) > 0 %}}", "Next": "TellSuccess"}
            ],
            "Default": "Succeeded",
        }
    return {**work, "StartAt": "Work", "States": states}


def _publish(
    noun: str, workload_name: str, partition: str, status: str, members: str, following: str
) -> State:
    """Return the state that publishes how an execution ended: ``members`` are further members, in JSONata."""
    message = (
        f"'{noun}': '{workload_name}', 'executionArn': $states.context.Execution.Id, 'status': '{status}', "
        "'durationInSeconds': $floor(($millis() - $toMillis($states.context.Execution.StartTime)) / 1000), "
        f"{members}"
    )
    passed_on = "{% $states.input %}"
    return {
        "Type": "Task",
        "Resource": f"arn:{partition}:states:::sns:publish",
        "Arguments": {
            "TopicArn": f"${{{TOPIC_PLACEHOLDER}}}",
            # API reference of SNS, Publish: at most 100 characters.
            "Subject": f"{noun} {workload_name} {status.lower()}"[:100],
            "Message": f"{{% $string({{{message}}}) %}}",
        },
        "TimeoutSeconds": _TELL_TIMEOUT_S,
        "Retry": [retry("States.ALL")],
        # A message that cannot be published does not change how the execution ends.
        "Catch": [{"ErrorEquals": ["States.ALL"], "Output": passed_on, "Next": following}],
        "Output": passed_on,
        "Next": following,
    }
