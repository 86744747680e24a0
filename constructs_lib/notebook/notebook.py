"""Everything that one notebook needs, in one construct: the instance, its role, and what stops it.

https://docs.aws.amazon.com/sagemaker/latest/dg/nbi.html
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from aws_cdk import Fn, RemovalPolicy, Stack
from aws_cdk import aws_sagemaker as sagemaker
from aws_cdk import aws_scheduler as scheduler
from constructs import Construct

from constructs_lib.foundation.references import FoundationReferences
from constructs_lib.jobs.job_role import StoragePrefixes
from constructs_lib.policies.statements import WRITE_LOGS, allow, service_role
from constructs_lib.policies.wildcards import acknowledge_wildcards
from constructs_lib.workflows.schedule_expression import TrainingScheduleTiming
from sizewell.facts.notebook_instances import PYTHONS

#: Made by SageMaker, one for the account and region: https://docs.aws.amazon.com/sagemaker/latest/dg/notebook-lifecycle-config.html
LOG_GROUP = "/aws/sagemaker/NotebookInstances"
_WATCH = Path(__file__).with_name("stop_when_idle.py")
#: An instance whose watch cannot start does not start. Amazon Linux 2023 has no cron.
_ON_START = """#!/bin/bash
set -euo pipefail
cat > /usr/local/sbin/stop_when_idle.py <<'WATCH'
{watch}WATCH
for python in {pythons}; do
    if "$python" -c "import boto3"; then break; fi
done
"$python" -c "import boto3"
systemd-run --unit=stop-when-idle --property=Restart=always --property=RestartSec=60 \\
    "$python" /usr/local/sbin/stop_when_idle.py {minutes}
"""


@dataclass(frozen=True, kw_only=True)
class NotebookProps:
    """A notebook instance, and when it stops.

    ``stops`` are the times at which it is stopped, whoever has started it; people start it. Below
    ``read_prefixes`` of the artifact bucket people in it may read, below ``write_prefixes`` write as well.
    ``execution_role_arn`` names a role of the account that they work as; None makes one that may do no more than that.
    """

    notebook_name: str
    instance_type: str
    platform_identifier: str
    volume_size_gib: int
    idle_shutdown_minutes: int
    stops: Sequence[TrainingScheduleTiming]
    foundation: FoundationReferences
    read_prefixes: Sequence[str] = ()
    write_prefixes: Sequence[str] = ()
    execution_role_arn: str | None = None

    def __post_init__(self) -> None:
        """A notebook that nothing stops is none of ours. Raises ValueError."""
        if not self.stops:
            raise ValueError("stops: at least one time at which the notebook is stopped")


class Notebook(Construct):
    """A notebook instance in the VPC, without root and direct internet access, with a watch and schedules that stop it."""

    def __init__(self, scope: Construct, construct_id: str, *, props: NotebookProps) -> None:
        super().__init__(scope, construct_id)
        stack = Stack.of(self)
        self._arn = (
            f"arn:{stack.partition}:sagemaker:{stack.region}:{stack.account}"
            f":notebook-instance/{props.notebook_name.lower()}"
        )
        configuration = sagemaker.CfnNotebookInstanceLifecycleConfig(
            self,
            "StopWhenIdle",
            on_start=[
                sagemaker.CfnNotebookInstanceLifecycleConfig.NotebookInstanceLifecycleHookProperty(
                    content=Fn.base64(on_start_script(props.idle_shutdown_minutes))
                )
            ],
        )
        foundation = props.foundation
        self.instance = sagemaker.CfnNotebookInstance(
            self,
            "Instance",
            notebook_instance_name=props.notebook_name,
            instance_type=props.instance_type,
            platform_identifier=props.platform_identifier,
            role_arn=props.execution_role_arn or self._add_role(props),
            subnet_id=Fn.select(0, foundation.subnet_ids),
            # HTTPS out and nothing in is all that it needs: people come by another way, as requests to an endpoint do.
            security_group_ids=[foundation.endpoint_security_group_id],
            direct_internet_access="Disabled",
            root_access="Disabled",
            kms_key_id=foundation.data_key_arn,
            volume_size_in_gb=props.volume_size_gib,
            lifecycle_config_name=configuration.attr_notebook_instance_lifecycle_config_name,
            instance_metadata_service_configuration=(
                sagemaker.CfnNotebookInstance.InstanceMetadataServiceConfigurationProperty(
                    minimum_instance_metadata_service_version="2"
                )
            ),
        )
        # What was left behind would run on, and nothing would stop it.
        self.instance.apply_removal_policy(RemovalPolicy.DESTROY)
        self._add_schedules(props)

    def _add_role(self, props: NotebookProps) -> str:
        stack, foundation = Stack.of(self), props.foundation
        bucket = foundation.artifact_bucket_name
        storage = StoragePrefixes(
            [(bucket, f"{prefix}/") for prefix in props.read_prefixes],
            [(bucket, f"{prefix}/") for prefix in props.write_prefixes],
            partition=stack.partition,
        )
        logs = f"arn:{stack.partition}:logs:{stack.region}:{stack.account}:log-group:{LOG_GROUP}"
        log_stream_arn = f"{logs}:log-stream:{props.notebook_name}/*"
        # Without aws:SourceAccount: notebook instances are not among what sends it, and a role is passed within its account.
        # https://docs.aws.amazon.com/sagemaker/latest/dg/security-confused-deputy-prevention.html
        role = service_role(
            self,
            "Role",
            "sagemaker.amazonaws.com",
            [
                *storage.statements(),
                allow(
                    ("kms:Decrypt", "kms:GenerateDataKey"),
                    foundation.data_key_arn,
                    {"StringEquals": {"kms:ViaService": f"s3.{stack.region}.amazonaws.com"}},
                ),
                allow(("logs:CreateLogGroup", "logs:DescribeLogStreams"), f"{logs}:*"),
                allow(WRITE_LOGS, log_stream_arn),
                allow(("sagemaker:StopNotebookInstance",), self._arn),
            ],
        )
        acknowledge_wildcards(
            self.node.find_child("RolePolicy"),
            (
                f"{logs}:*",
                "The name of a log group in an IAM resource must be followed by a wildcard for its streams.",
            ),
            (
                log_stream_arn,
                "SageMaker names log streams after the notebook instance and the program that writes them; the prefix holds "
                "the role to those of this notebook.",
            ),
            *(
                (arn, "Object keys below this prefix are made by people at work in the notebook and by jobs.")
                for arn in storage.object_arns
            ),
        )
        return role.attr_arn

    def _add_schedules(self, props: NotebookProps) -> None:
        """Stop it by the SDK integration of EventBridge Scheduler, without a function.

        https://docs.aws.amazon.com/scheduler/latest/UserGuide/managing-targets-universal.html
        """
        stack = Stack.of(self)
        role = service_role(
            self,
            "ScheduleRole",
            "scheduler.amazonaws.com",
            [allow(("sagemaker:StopNotebookInstance",), self._arn)],
            {
                "StringEquals": {
                    "aws:SourceAccount": stack.account,
                    "aws:SourceArn": (
                        f"arn:{stack.partition}:scheduler:{stack.region}:{stack.account}:schedule-group/default"
                    ),
                }
            },
        )
        for number, timing in enumerate(props.stops, start=1):
            scheduler.CfnSchedule(
                self,
                f"Stop{number}",
                schedule_expression=timing.expression,
                schedule_expression_timezone=timing.time_zone,
                state="ENABLED" if timing.is_enabled else "DISABLED",
                flexible_time_window=scheduler.CfnSchedule.FlexibleTimeWindowProperty(mode="OFF"),
                target=scheduler.CfnSchedule.TargetProperty(
                    arn=f"arn:{stack.partition}:scheduler:::aws-sdk:sagemaker:stopNotebookInstance",
                    role_arn=role.attr_arn,
                    input=json.dumps({"NotebookInstanceName": props.notebook_name}),
                    # An instance that is stopped already refuses to be stopped: nothing went wrong, and the next hour comes.
                    retry_policy=scheduler.CfnSchedule.RetryPolicyProperty(maximum_retry_attempts=0),
                ),
            ).add_resource_dependency(self.instance)


def on_start_script(idle_shutdown_minutes: int) -> str:
    """Return what the instance runs as root when it starts."""
    return _ON_START.format(
        watch=_WATCH.read_text("utf-8"), pythons=" ".join(PYTHONS), minutes=idle_shutdown_minutes
    )
