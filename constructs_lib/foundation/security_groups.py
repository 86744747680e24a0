"""The security groups of endpoints and of training jobs."""

from dataclasses import dataclass

from aws_cdk import aws_ec2 as ec2
from constructs import Construct

from constructs_lib.foundation.existing import NOTHING_EXISTS, ExistingResources
from constructs_lib.policies.acknowledgements import acknowledge_all
from sizewell.facts.compliance_packs import COMPLIANCE_PACKS
from sizewell.facts.file_systems import CALLS_BACK, PORTS, FileSystemType

HTTPS_PORT = 443
_ANYWHERE = "0.0.0.0/0"


@dataclass(frozen=True, kw_only=True)
class MountedGroup:
    """The security group of file systems that training jobs mount."""

    type: FileSystemType
    security_group_id: str


class WorkloadSecurityGroups(Construct):
    """What endpoints and training jobs may talk to.

    HTTPS goes to any address, because the gateway endpoint of S3 answers on public ones, or, where ``s3_prefix_list_id`` is
    known, which no template can look up, to those of S3 and to the group of the interface endpoints. The port of a proxy,
    which is known by a name, goes to any address: where that leads is up to the route table. Nothing comes in to an
    endpoint: SageMaker hands it requests by another way. A group that exists already is None here, and its id stands for it.
    """

    endpoint_security_group: ec2.CfnSecurityGroup | None = None
    training_security_group: ec2.CfnSecurityGroup | None = None

    def __init__(
        self,
        scope: Construct,
        construct_id: str,
        *,
        vpc_id: str,
        existing: ExistingResources = NOTHING_EXISTS,
        proxy_port: int | None = None,
        mounted_groups: tuple[MountedGroup, ...] = (),
        s3_prefix_list_id: str | None = None,
        interface_endpoint_group_id: str | None = None,
    ) -> None:
        super().__init__(scope, construct_id)
        if s3_prefix_list_id is None:
            self._out = [_out(HTTPS_PORT, "AWS services", cidr_ip=_ANYWHERE)]
        else:
            self._out = [_out(HTTPS_PORT, "S3", destination_prefix_list_id=s3_prefix_list_id)]
            if interface_endpoint_group_id is not None:
                to_endpoints = {"destination_security_group_id": interface_endpoint_group_id}
                self._out.append(_out(HTTPS_PORT, "Interface endpoints", **to_endpoints))
        if proxy_port is not None and (proxy_port != HTTPS_PORT or s3_prefix_list_id is not None):
            self._out.append(_out(proxy_port, "Proxy", cidr_ip=_ANYWHERE))
        self.endpoint_security_group_id = existing.endpoint_security_group_id or self._add_endpoint_group(
            vpc_id
        )
        self.training_security_group_id = existing.training_security_group_id or self._add_training_group(
            vpc_id
        )
        if self.training_security_group is not None:
            for mounted in mounted_groups:
                self._let_mount(mounted)

    def _add_endpoint_group(self, vpc_id: str) -> str:
        group = self._https_out("Endpoint", "Endpoints: HTTPS out, nothing in", vpc_id)
        self.endpoint_security_group = group
        return group.attr_group_id

    def _add_training_group(self, vpc_id: str) -> str:
        self.training_security_group = self._https_out(
            "Training", "Training jobs: HTTPS out, and all traffic among the instances of a job", vpc_id
        )
        # Instances of one job talk to each other on ports of their own choice, and EFA is admitted by no other rule
        # than the group itself on all protocols, both ways:
        # https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/efa-start.html#efa-start-security
        group_id = self.training_security_group.attr_group_id
        from_itself = ec2.CfnSecurityGroupIngress(
            self,
            "TrainingFromItself",
            group_id=group_id,
            source_security_group_id=group_id,
            ip_protocol="-1",
            description="Instances of one job",
        )
        acknowledge_all(
            from_itself,
            [f"{pack}-EC2RestrictedCommonPorts" for pack in COMPLIANCE_PACKS],
            "The rule admits no address, only members of the same group, and those are containers of one environment's "
            "training jobs. EFA, which jobs on several instances use, is admitted by a rule on all protocols only.",
        )
        ec2.CfnSecurityGroupEgress(
            self,
            "TrainingToItself",
            group_id=group_id,
            destination_security_group_id=group_id,
            ip_protocol="-1",
            description="Instances of one job",
        )
        return group_id

    def _let_mount(self, mounted: MountedGroup) -> None:
        """Let traffic from the group of training to that of a file system, and back where its servers call their clients."""
        training, files = self.training_security_group_id, mounted.security_group_id
        directions = {"To": (training, files)}
        if mounted.type in CALLS_BACK:
            directions["From"] = (files, training)
        description = f"Training jobs that mount {mounted.type}"
        for first, last in PORTS[mounted.type]:
            for direction, (source, target) in directions.items():
                name = f"{direction}{mounted.type}{first}{files}"
                ec2.CfnSecurityGroupEgress(
                    self,
                    f"{name}Egress",
                    group_id=source,
                    destination_security_group_id=target,
                    ip_protocol="tcp",
                    from_port=first,
                    to_port=last,
                    description=description,
                )
                ec2.CfnSecurityGroupIngress(
                    self,
                    f"{name}Ingress",
                    group_id=target,
                    source_security_group_id=source,
                    ip_protocol="tcp",
                    from_port=first,
                    to_port=last,
                    description=description,
                )

    def _https_out(self, construct_id: str, group_description: str, vpc_id: str) -> ec2.CfnSecurityGroup:
        return ec2.CfnSecurityGroup(
            self,
            construct_id,
            group_description=group_description,
            vpc_id=vpc_id,
            security_group_egress=self._out,
        )


def _out(port: int, description: str, **target: str) -> ec2.CfnSecurityGroup.EgressProperty:
    return ec2.CfnSecurityGroup.EgressProperty(
        ip_protocol="tcp", from_port=port, to_port=port, description=description, **target
    )
