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

from collections.abc import Mapping
from functools import partial

from constructs_lib.notifications.message import Message, message
from constructs_lib.workflows.state_language import Expression, State, is_json_object, retry, to_jsonata

#: How the name of an execution begins that a pipeline started. The pipeline tells people of a failure, with its cause.
STEP_NAME_PREFIX = "step-"
#: The member of an output that lists what is worth telling although the execution succeeded.
WARNINGS = "Warnings"
#: What stands for the topic until the machine is deployed.
TOPIC_PLACEHOLDER = "AlarmTopicArn"
_TELL_TIMEOUT_S = 60
#: How to read the history of an execution, without the ARN at its end.
_READ_HISTORY = "Read its history: aws stepfunctions get-execution-history --execution-arn "
_EXECUTION_ARN = "$states.context.Execution.Id"
_CAUSE = "$states.input.Cause"
#: Why an execution failed, in a sentence: its error, the step of a pipeline, and the innermost cause.
_REASON = (
    f"( $cause := {is_json_object(_CAUSE)} ? $parse({_CAUSE}) : {{'Cause': {_CAUSE}}}; "
    "$innermost := $exists($cause.Cause.Cause) ? $cause.Cause.Cause : $cause.Cause; "
    "$states.input.Error & ($exists($cause.Step) ? ' of ' & $cause.Step : '') "
    "& ($exists($innermost) ? ': ' & $innermost : '') )"
)


def message_of_end(
    noun: str, workload_name: str, status: str, description: str, execution_arn: str
) -> Message:
    """Return what people hear of an execution that was ended from outside of its states."""
    return _message(
        noun,
        workload_name,
        status,
        description,
        next_step=f"{_READ_HISTORY}{execution_arn}",
        context={"executionArn": execution_arn},
    )


def _message(
    noun: str,
    workload_name: str,
    status: str,
    description: str,
    *,
    next_step: str,
    context: Mapping[str, str],
) -> Message:
    return message(
        f"{noun.capitalize()} {workload_name}: {status}",
        description,
        next_step=next_step,
        context={"kind": noun, "workload": workload_name, "status": status, **context},
    )


def with_messages(
    work: State, *, noun: str, workload_name: str, partition: str, report_success: bool
) -> State:
    """Return the definition of a machine that runs the states of ``work`` and publishes to the alarm topic how that ended.

    ``noun`` says what it does, such as training. It publishes a success where the output has warnings, or always. The error
    and the output of an execution are those of ``work``.
    """
    publish = partial(_publish, noun, workload_name, partition)
    states: dict[str, State] = {
        "Work": {
            "Type": "Parallel",
            "Branches": [{key: work[key] for key in ("StartAt", "States")}],
            "Output": "{% $states.result[0] %}",
            "Catch": [{"ErrorEquals": ["States.ALL"], "Next": "WhoTells"}],
            "Next": "TellSuccess" if report_success else "WorthTelling",
        },
        "TellSuccess": publish(
            "SUCCEEDED",
            f"$count($states.input.{WARNINGS}) > 0 ? $join($states.input.{WARNINGS}, '. ') : 'Its output has the details.'",
            "Succeeded",
            output=Expression("$string($states.input)"),
        ),
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
            _REASON,
            "Failed",
            error=Expression("$states.input.Error"),
            cause=Expression(_CAUSE),
        ),
        "Failed": {
            "Type": "Fail",
            "Error": "{% $states.input.Error %}",
            "Cause": f"{{% $exists({_CAUSE}) ? {_CAUSE} : '' %}}",
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
    noun: str,
    workload_name: str,
    partition: str,
    status: str,
    description: str,
    following: str,
    **context: Expression,
) -> State:
    """Return the state that publishes how an execution ended: ``description`` is JSONata."""
    told = _message(
        noun,
        workload_name,
        status,
        Expression(description),
        next_step=Expression(f"'{_READ_HISTORY}' & {_EXECUTION_ARN}"),
        context={
            "executionArn": Expression(_EXECUTION_ARN),
            "durationInSeconds": Expression(
                "$string($floor(($millis() - $toMillis($states.context.Execution.StartTime)) / 1000))"
            ),
            **context,
        },
    )
    passed_on = "{% $states.input %}"
    return {
        "Type": "Task",
        "Resource": f"arn:{partition}:states:::sns:publish",
        "Arguments": {
            "TopicArn": f"${{{TOPIC_PLACEHOLDER}}}",
            # API reference of SNS, Publish: at most 100 characters.
            "Subject": f"{noun} {workload_name} {status.lower()}"[:100],
            "Message": f"{{% $string({to_jsonata(told)}) %}}",
        },
        "TimeoutSeconds": _TELL_TIMEOUT_S,
        "Retry": [retry("States.ALL")],
        # A message that cannot be published does not change how the execution ends.
        "Catch": [{"ErrorEquals": ["States.ALL"], "Output": passed_on, "Next": following}],
        "Output": passed_on,
        "Next": following,
    }
