"""Tells people what the states of a workflow cannot: bad ends, by a rule and by alarms, and starts that never happened."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from constructs import Construct

from constructs_lib.alarms.count_alarm import Count, alarm_on_count
from constructs_lib.notifications.dead_letters import messages_of
from constructs_lib.notifications.event_rule import ToldEvents, tell_of_events
from constructs_lib.workflows.workflow_messages import STEP_NAME_PREFIX, message_of_end
from sizewell.facts.state_machines import FAILURE_METRICS

#: The time limit of the machine, and a stop by hand. The machine tells of every other end:
#: https://docs.aws.amazon.com/step-functions/latest/dg/eventbridge-integration.html
ENDS_FROM_OUTSIDE = ("TIMED_OUT", "ABORTED")


@dataclass(frozen=True, kw_only=True)
class WorkflowAlarmsProps:
    """``noun`` says what the workflow does, such as training.

    ``dead_letter_queue_names`` are the queues of starts that failed, by the names of their alarms.
    """

    noun: str
    workload_name: str
    state_machine_arn: str
    alarm_topic_arn: str
    dead_letter_queue_names: Mapping[str, str] = field(default_factory=dict)


class WorkflowAlarms(Construct):
    """One message for each execution that is ended from outside; alarms on bad ends, and while starts by themselves are lost.

    The alarms on bad ends hear what no state can tell: ``Catch`` of ``States.ALL`` catches neither ``States.Runtime`` nor
    ``States.DataLimitExceeded`` (https://docs.aws.amazon.com/step-functions/latest/dg/concepts-error-handling.html), and a
    message may be refused. What the machine or the rule has told they tell again: Step Functions gives events and metrics to
    EventBridge and CloudWatch at best effort, so neither is enough alone
    (https://docs.aws.amazon.com/eventbridge/latest/ref/events-ref-states.html, and procedure-cw-metrics.html of its own guide).
    """

    def __init__(self, scope: Construct, construct_id: str, *, props: WorkflowAlarmsProps) -> None:
        super().__init__(scope, construct_id)
        self._tell_of_ends_from_outside(props)
        for metric, end in FAILURE_METRICS.items():
            alarm_on_count(
                self,
                metric,
                description=f"An execution of {props.noun} workflow {props.workload_name} {end}. "
                "Look first at the execution in Step Functions: its event history says why.",
                count=Count(
                    namespace="AWS/States",
                    metric_name=metric,
                    statistic="Sum",
                    dimension=("StateMachineArn", props.state_machine_arn),
                ),
                alarm_topic_arn=props.alarm_topic_arn,
            )
        for construct_id_of_alarm, queue_name in props.dead_letter_queue_names.items():
            alarm_on_count(
                self,
                construct_id_of_alarm,
                description=f"A start of {props.noun} workflow {props.workload_name} did not succeed. "
                "Look first at the message in the dead-letter queue: its attributes say why.",
                count=messages_of(queue_name),
                alarm_topic_arn=props.alarm_topic_arn,
            )

    def _tell_of_ends_from_outside(self, props: WorkflowAlarmsProps) -> None:
        tell_of_events(
            self,
            "EndsFromOutside",
            ToldEvents(
                description=f"Tells that {props.noun} workflow {props.workload_name} was stopped, or took too long",
                pattern={
                    "source": ["aws.states"],
                    "detail-type": ["Step Functions Execution Status Change"],
                    "detail": {
                        "stateMachineArn": [props.state_machine_arn],
                        "status": list(ENDS_FROM_OUTSIDE),
                        # Of a step, its pipeline tells.
                        "name": [{"anything-but": {"prefix": STEP_NAME_PREFIX}}],
                    },
                },
                paths={name: f"$.detail.{name}" for name in ("executionArn", "status")},
                told=message_of_end(
                    props.noun,
                    props.workload_name,
                    "<status>",
                    "TIMED_OUT: the time limit of the state machine was over. ABORTED: somebody stopped the execution.",
                    "<executionArn>",
                ),
            ),
            alarm_topic_arn=props.alarm_topic_arn,
        )
