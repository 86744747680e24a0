"""A SageMaker MLflow App, in which trainings record their runs.

https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-resource-sagemaker-mlflowapp.html. What it knows of
runs is encrypted with a key of AWS: CloudFormation has no property for another. Artifacts are in the artifact bucket.
"""

from dataclasses import dataclass

from aws_cdk import RemovalPolicy, Stack
from aws_cdk import aws_sagemaker as sagemaker
from constructs import Construct

from constructs_lib.policies.statements import allow, service_role
from constructs_lib.policies.wildcards import acknowledge_wildcards
from sizewell.facts.mlflow import ARTIFACT_PREFIX


@dataclass(frozen=True, kw_only=True)
class MlflowAppProps:
    """``app_name`` is unique in account and region; artifacts are in the bucket below ``mlflow/``, encrypted with the data key.

    ``removal_policy`` says what becomes of the App, and of all that it has recorded, when the stack goes.
    """

    app_name: str
    artifact_bucket_name: str
    data_key_arn: str
    removal_policy: RemovalPolicy


class MlflowApp(Construct):
    """The App, and the role by which it reads and writes artifacts; ``arn`` is what clients call it by."""

    def __init__(self, scope: Construct, construct_id: str, *, props: MlflowAppProps) -> None:
        super().__init__(scope, construct_id)
        stack = Stack.of(self)
        bucket_arn = f"arn:{stack.partition}:s3:::{props.artifact_bucket_name}"
        objects_arn = f"{bucket_arn}/{ARTIFACT_PREFIX}/*"
        # The role of AWS's own page, without the registry of models, which the App leaves alone, and with the objects of one
        # prefix: https://docs.aws.amazon.com/sagemaker/latest/dg/mlflow-app-setup-prerequisites-iam.html. It may list the whole
        # bucket, as it may look whether the bucket is there without naming a prefix. No aws:SourceAccount: MLflow is not among
        # what sends it, and a role is passed within its account.
        # https://docs.aws.amazon.com/sagemaker/latest/dg/security-confused-deputy-prevention.html
        role = service_role(
            self,
            "Role",
            "sagemaker.amazonaws.com",
            [
                allow(("s3:GetBucketLocation", "s3:ListBucket"), bucket_arn),
                allow(("s3:AbortMultipartUpload", "s3:GetObject", "s3:PutObject"), objects_arn),
                allow(("kms:Decrypt", "kms:GenerateDataKey"), props.data_key_arn),
            ],
        )
        acknowledge_wildcards(
            self.node.find_child("RolePolicy"),
            (
                objects_arn,
                "Clients of the App name the artifacts of their runs; the prefix is that of the App.",
            ),
        )
        app = sagemaker.CfnMlflowApp(
            self,
            "App",
            name=props.app_name,
            artifact_store_uri=f"s3://{props.artifact_bucket_name}/{ARTIFACT_PREFIX}",
            role_arn=role.attr_arn,
            model_registration_mode="AutoModelRegistrationDisabled",
        )
        app.apply_removal_policy(props.removal_policy)
        self.arn = app.attr_arn
