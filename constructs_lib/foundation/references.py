"""What a workload stack may know about the foundation stack: identifiers, passed as SSM parameters.

CloudFormation exports would lock the foundation as long as one workload imports a value, and the other way round
an update that replaces a subnet would deadlock. SSM parameters are read at deploy time and lock nothing.
"""

from dataclasses import dataclass, field


@dataclass(frozen=True, kw_only=True)
class FoundationReferences:
    """Identifiers of the shared resources of one environment; every value may be a CDK token.

    ``mlflow_arn`` is that of the MLflow App or tracking server in which runs are recorded; None is none.

    ``subnet_ids`` may be a token list: never index it in Python, use ``Fn.select``. Every job is given all of them, also one on
    several instances: not every zone has every type, and a single subnet would leave out what the others have. AWS wants the
    instances of a job in one zone, which EFA needs, and of trainings says that it is seen to: the SDK that "handles" it passes
    the subnets on as they are (https://docs.aws.amazon.com/sagemaker/latest/dg/distributed-training.html, "Availability zones and
    network backplane"). Of processing jobs no page says so: unproven; there, traffic from zone to zone would be slower, where one
    subnet could have no capacity. Only FSx for Lustre holds a job to the subnet of its zone (``FileSystemChannel``).
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
    # A plain default would be an attribute of the class, which is found before what is read at deployment.
    mlflow_arn: str | None = field(default_factory=lambda: None)


def mlflow_arn_of(foundation: FoundationReferences) -> str:
    """Return the ARN of the MLflow; raises ValueError where there is none."""
    if foundation.mlflow_arn is None:
        raise ValueError(
            "an experiment needs mlflow_arn of the foundation: mlflow_app_name, or existing.mlflow_arn"
        )
    return foundation.mlflow_arn
