"""A batch transform that AWS Batch runs: the jobs of an array, each on an instance of its own, share the objects.

https://docs.aws.amazon.com/batch/latest/userguide/array_jobs.html
"""

from dataclasses import dataclass

from aws_cdk import Stack
from constructs import Construct

from constructs_lib.jobs.batch_jobs import QUEUE, RAN_S, BatchJobs
from constructs_lib.jobs.batch_workload import (
    DEFINITION,
    OUTPUT,
    BatchWorkload,
    BatchWorkloadProps,
    queue_placeholder,
)
from constructs_lib.jobs.job_cost import UNPRICED, USD, cost_totals
from constructs_lib.jobs.job_kind import TRANSFORM
from constructs_lib.jobs.job_state_machine_definition import (
    EXECUTION_NAME,
    JobAttempt,
    job_state_machine_definition,
)
from constructs_lib.workflows.state_language import State


@dataclass(frozen=True, kw_only=True)
class TransformByBatchProps(BatchWorkloadProps):
    """What is transformed, by when, and on how many instances.

    ``usd_per_hour`` is what one of them is expected to cost; None is unknown.
    """

    instance_count: int
    deadline_s: int
    usd_per_hour: float | None


class TransformByBatch(BatchWorkload):
    """Instances, job definition, state machine, schedule and alarms of one batch transform."""

    def __init__(self, scope: Construct, construct_id: str, *, props: TransformByBatchProps) -> None:
        definition = transform_by_batch_definition(props, partition=Stack.of(scope).partition)
        super().__init__(scope, construct_id, props=props, kind=TRANSFORM, definition=definition)


def transform_by_batch_definition(props: TransformByBatchProps, *, partition: str) -> State:
    """Return the state machine definition as plain data.

    What an array cost is unknown: its description has the attempts of none of its jobs (API reference, JobDetail).
    """
    types = list(props.instances.instance_types)
    is_array = props.instance_count > 1
    attempt = JobAttempt(
        request={
            "JobDefinition": f"${{{DEFINITION}}}",
            "ContainerOverrides": {
                "Environment": [{"Name": "RUN_NAME", "Value": f"{{% {EXECUTION_NAME} %}}"}]
            },
            **({"ArrayProperties": {"Size": props.instance_count}} if is_array else {}),
        },
        ends_after_s=props.deadline_s,
        instance_count=props.instance_count,
        tried=f"{', '.join(types)} on demand",
        usd_per_hour=props.usd_per_hour,
        variables={QUEUE: f"${{{queue_placeholder(False)}}}", "job_id": "", "is_lost": False},
    )
    totals = {UNPRICED: "1", "usd": "0"} if is_array else {"transform_s": RAN_S, **cost_totals(RAN_S)}
    time_spent = {} if is_array else {"TransformTimeInSeconds": "$transform_s"}
    return job_state_machine_definition(
        BatchJobs(TRANSFORM, partition),
        (attempt,),
        job_name_prefix=props.job.job_name,
        variables={"instance_types": types},
        totals=totals,
        report={
            "TransformJobName": "{% $job_name %}",
            "JobId": "{% $job_id %}",
            "InstanceTypes": "{% $instance_types %}",
            "InstanceCount": f"{{% {props.instance_count} %}}",
            "S3OutputPath": f"{{% '${{{OUTPUT}}}' & {EXECUTION_NAME} & '/' %}}",
        },
        spent={**time_spent, "UsdOfInstances": USD},
    )
