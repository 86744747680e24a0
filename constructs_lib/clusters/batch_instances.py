"""The instances of the jobs of one workload, on Spot or on demand: AWS Batch launches them in an ECS cluster of its own making.

https://docs.aws.amazon.com/batch/latest/userguide/compute_environments.html. Only the jobs of the workload are placed there. No
environment has a name: one that is replaced would collide with itself.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from aws_cdk import Fn, Stack
from aws_cdk import aws_batch as batch
from aws_cdk import aws_ec2 as ec2
from aws_cdk import aws_iam as iam
from constructs import Construct

from constructs_lib.clusters.launch_template import launch_template
from constructs_lib.foundation.references import FoundationReferences
from constructs_lib.policies.statements import allow, service_role
from constructs_lib.policies.wildcards import acknowledge_wildcards
from sizewell.facts.batch import (
    CLUSTER_PREFIX,
    MAX_JOB_MINUTES_OF_UPDATE,
    WAIT_BOUNDS_S,
    WAITS_FOR_CAPACITY,
    WAITS_IN_VAIN,
)

#: Construct ids, and how AWS calls the way to buy instances and to choose among their types: on demand in their order, where
#: BEST_FIT_PROGRESSIVE would look at the price of a vCPU, which says little of one beside a GPU
#: (https://docs.aws.amazon.com/batch/latest/APIReference/API_ComputeResource.html).
_SPOT = ("Spot", "SPOT", "SPOT_PRICE_CAPACITY_OPTIMIZED")
_ON_DEMAND = ("OnDemand", "EC2", "BEST_FIT_PROGRESSIVE_ORDERED")
#: Batch's own machine images, the second with the driver of NVIDIA's GPUs
#: (https://docs.aws.amazon.com/batch/latest/APIReference/API_Ec2Configuration.html).
_IMAGE, _IMAGE_WITH_GPUS = "ECS_AL2023", "ECS_AL2023_NVIDIA"
#: For a container that is ended, the agent waits 30 seconds where nothing else is said: too short for a last checkpoint. An
#: instance that EC2 takes back gets no other job. Logs are written with the execution role of a job, and not with that of the
#: instance, as the machine images of AWS have it anyway (https://github.com/aws/amazon-ecs-agent, README.md). Batch takes user
#: data of several parts alone (https://docs.aws.amazon.com/batch/latest/userguide/launch-templates.html).
_USER_DATA = """\
MIME-Version: 1.0
Content-Type: multipart/mixed; boundary="PART"

--PART
Content-Type: text/x-shellscript; charset="us-ascii"

#!/bin/bash
echo ECS_CONTAINER_STOP_TIMEOUT=2m >> /etc/ecs/ecs.config
echo ECS_ENABLE_AWSLOGS_EXECUTIONROLE_OVERRIDE=true >> /etc/ecs/ecs.config
echo ECS_ENABLE_SPOT_INSTANCE_DRAINING=true >> /etc/ecs/ecs.config
--PART--
"""


@dataclass(frozen=True, kw_only=True)
class BatchInstancesProps:
    """The types that may be launched, the best first, and for how long a job of each queue may wait for one of them.

    ``waits_s`` has a queue on Spot (True), on demand (False) or both. ``max_vcpus`` counts all instances of a queue at a time.
    ``volume_size_gib`` is of the one volume, of system, images and data. ``longest_job_s`` is for how long jobs go on whose
    instances are exchanged. ``instance_tags`` are those of instances and volumes.
    """

    instance_types: Sequence[str]
    has_gpus: bool
    max_vcpus: int
    volume_size_gib: int
    longest_job_s: int
    waits_s: Mapping[bool, int]
    instance_tags: Mapping[str, str]
    foundation: FoundationReferences


class BatchInstances(Construct):
    """A queue for each way to buy instances, with its compute environment.

    ``queue_arns`` are by whether the queue is on Spot.
    """

    queue_arns: Mapping[bool, str]

    def __init__(self, scope: Construct, construct_id: str, *, props: BatchInstancesProps) -> None:
        super().__init__(scope, construct_id)
        profile = iam.CfnInstanceProfile(self, "InstanceProfile", roles=[_instance_role(self).ref])
        template = launch_template(
            self, volume_size_gib=props.volume_size_gib, user_data=Fn.base64(_USER_DATA)
        )
        self.queue_arns = {
            spot: self._add_queue(_SPOT if spot else _ON_DEMAND, wait_s, props, profile, template)
            for spot, wait_s in props.waits_s.items()
        }

    def _add_queue(
        self,
        capacity: tuple[str, str, str],
        wait_s: int,
        props: BatchInstancesProps,
        profile: iam.CfnInstanceProfile,
        template: ec2.CfnLaunchTemplate,
    ) -> str:
        name, kind, strategy = capacity
        properties = batch.CfnComputeEnvironment
        environment = batch.CfnComputeEnvironment(
            self,
            f"{name}Environment",
            type="MANAGED",
            state="ENABLED",
            # In place of a new environment, instances are exchanged, and running jobs have time to end; with these strategies and
            # the role that Batch makes itself: https://docs.aws.amazon.com/batch/latest/userguide/infrastructure-updates.html
            replace_compute_environment=False,
            update_policy=properties.UpdatePolicyProperty(
                terminate_jobs_on_update=False,
                job_execution_timeout_minutes=min(-(-props.longest_job_s // 60), MAX_JOB_MINUTES_OF_UPDATE),
            ),
            compute_resources=properties.ComputeResourcesProperty(
                type=kind,
                allocation_strategy=strategy,
                instance_types=list(props.instance_types),
                minv_cpus=0,
                maxv_cpus=props.max_vcpus,
                ec2_configuration=[
                    properties.Ec2ConfigurationObjectProperty(
                        image_type=_IMAGE_WITH_GPUS if props.has_gpus else _IMAGE
                    )
                ],
                # Whenever instances are exchanged, for the newest image as well.
                update_to_latest_image_version=True,
                instance_role=profile.attr_arn,
                launch_template=properties.LaunchTemplateSpecificationProperty(
                    launch_template_id=template.ref, version=template.attr_latest_version_number
                ),
                security_group_ids=[props.foundation.training_security_group_id],
                subnets=props.foundation.subnet_ids,
                tags=dict(props.instance_tags),
            ),
        )
        # Other tags would replace it, running jobs or not: they are tagged at its creation alone. Those of instances are above.
        # https://github.com/aws-cloudformation/cloudformation-coverage-roadmap/issues/2270
        environment.add_property_deletion_override("Tags")
        queue = batch.CfnJobQueue(
            self,
            f"{name}Queue",
            priority=1,
            compute_environment_order=[
                batch.CfnJobQueue.ComputeEnvironmentOrderProperty(
                    compute_environment=environment.ref, order=1
                )
            ],
            job_state_time_limit_actions=[
                _cancel_after(wait_s, WAITS_FOR_CAPACITY),
                *(_cancel_after(WAIT_BOUNDS_S[0], reason) for reason in WAITS_IN_VAIN),
            ],
        )
        return queue.ref


def _cancel_after(wait_s: int, reason: str) -> batch.CfnJobQueue.JobStateTimeLimitActionProperty:
    shortest, longest = WAIT_BOUNDS_S
    return batch.CfnJobQueue.JobStateTimeLimitActionProperty(
        state="RUNNABLE", action="CANCEL", max_time_seconds=min(max(wait_s, shortest), longest), reason=reason
    )


def _instance_role(scope: Construct) -> iam.CfnRole:
    """Add the role of the agent of ECS, which may do nothing else.

    A job of Batch shares the network of its instance, so its script can have this role as well
    (https://docs.aws.amazon.com/batch/latest/userguide/networking-modes-jobs.html). So it does not get the managed policy of AWS,
    which may read every image and write every log: the execution role of the job does both. Actions and their resources:
    https://docs.aws.amazon.com/service-authorization/latest/reference/list_amazonelasticcontainerservice.html
    """
    stack = Stack.of(scope)
    ecs = f"arn:{stack.partition}:ecs:{stack.region}:{stack.account}"
    clusters, instances = f"{ecs}:cluster/{CLUSTER_PREFIX}*", f"{ecs}:container-instance/{CLUSTER_PREFIX}*"
    role = service_role(
        scope,
        "InstanceRole",
        "ec2.amazonaws.com",
        [
            allow(
                (
                    "ecs:DeregisterContainerInstance",
                    "ecs:RegisterContainerInstance",
                    "ecs:SubmitAttachmentStateChanges",
                    "ecs:SubmitContainerStateChange",
                    "ecs:SubmitTaskStateChange",
                ),
                clusters,
            ),
            allow(("ecs:Poll", "ecs:StartTelemetrySession", "ecs:UpdateContainerInstancesState"), instances),
            allow(
                ("ecs:TagResource",),
                instances,
                {"StringEquals": {"ecs:CreateAction": "RegisterContainerInstance"}},
            ),
            allow(("ecs:DiscoverPollEndpoint",), "*"),
        ],
    )
    named = "AWS Batch names the cluster that it makes, with this prefix; its instances are of the cluster."
    acknowledge_wildcards(
        scope.node.find_child("InstanceRolePolicy"),
        ("*", "ecs:DiscoverPollEndpoint knows no resource types (Service Authorization Reference)."),
        (clusters, named),
        (instances, named),
    )
    return role
