"""What a workload stack may know about the foundation stack: identifiers, passed as SSM parameters.

CloudFormation exports would lock the foundation as long as one workload imports a value, and the other way round
an update that replaces a subnet would deadlock. SSM parameters are read at deploy time and lock nothing.
"""

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class FoundationReferences:
    """Identifiers of the shared resources of one environment; every value may be a CDK token.

    ``subnet_ids`` may be a token list: never index it in Python, use ``Fn.select``.
    """

    vpc_id: str
    subnet_ids: list[str]
    endpoint_security_group_id: str
    training_security_group_id: str
    data_key_arn: str
    operations_key_arn: str
    artifact_bucket_name: str
    checkpoint_bucket_name: str
    alarm_topic_arn: str
