"""A model by its version in the SageMaker Model Registry, which names the image and the artifact."""

from typing import Annotated, Any, Literal, Self

from pydantic import Field, model_validator

from sizewell.config.base import ConfigModel, S3Key, fault, without
from sizewell.config.effects import Below, OnChange, SelectionNeed
from sizewell.config.existing import BucketName, KeyArn

#: API reference: ContainerDefinition, ModelPackageName; one without a version is not of a group, but of AWS Marketplace.
PackageArn = Annotated[
    str,
    Field(
        pattern=r"^arn:aws[a-z-]*:sagemaker:[a-z0-9-]{9,16}:[0-9]{12}:model-package/[a-zA-Z0-9](-*[a-zA-Z0-9]){0,62}/[1-9][0-9]{0,8}$",
        max_length=176,
        examples=["arn:aws:sagemaker:us-east-1:111122223333:model-package/churn/3"],
    ),
]


class ImageRepository(ConfigModel):
    """A repository in Amazon ECR, in the region of the environment."""

    account: Annotated[str, Field(pattern=r"^[0-9]{12}$", examples=["763104351884"])]
    """The AWS account that owns the repository, twelve digits in quotes."""
    repository: Annotated[
        str, Field(pattern=r"^[a-z0-9]+([._/-][a-z0-9]+)*$", max_length=256, examples=["pytorch-inference"])
    ]
    """The name of the repository in Amazon ECR."""


class PackagedArtifact(ConfigModel):
    """What a model package loads from Amazon S3."""

    bucket: BucketName | None = None
    """The bucket that it lies in, in the region; by default the artifact bucket of the environment."""
    key: S3Key
    """The key of the artifact, or a prefix that ends in a slash and that all versions of the group lie below."""
    key_arn: KeyArn | None = None
    """The ARN of the KMS key that the bucket encrypts with; by default the data key of the environment."""

    @model_validator(mode="after")
    def _key_is_of_a_bucket(self) -> Self:
        if self.key_arn is not None and self.bucket is None:
            raise fault(
                "key_arn",
                f"is of another bucket, as the data key encrypts the artifact bucket: name the bucket, or {without('key_arn')}",
            )
        return self


class ModelPackage(ConfigModel):
    """A version of a model group: of one in the account and region of the workload, or of any by its ARN."""

    group: Annotated[
        Annotated[
            str, Field(pattern=r"^[a-zA-Z0-9](-*[a-zA-Z0-9]){0,62}$", max_length=63, examples=["churn"])
        ]
        | None,
        OnChange("another model goes live"),
    ] = None
    """The name of the model group as AWS shows it, in the account and region where the workload runs; that of a pipeline has
    platform and environment before it."""
    version: Annotated[
        Annotated[int, Field(ge=1, le=999_999_999)] | None, OnChange("another version of the model goes live")
    ] = None
    """The version in the group."""
    arn: Annotated[PackageArn | None, OnChange("another model goes live")] = None
    """The ARN of a version in another account, in place of group and version; packages of AWS Marketplace have none."""
    hardware: Annotated[Literal["cuda", "neuron", "cpu_x86_64", "cpu_arm64"], SelectionNeed.IMAGE]
    """The hardware that the image of the package is for; no other is picked."""
    image_repository: ImageRepository | None = None
    """Where the image of the package is, for the role that pulls it."""
    artifact: PackagedArtifact | None = None
    """Where the artifact of the package is, for the role that reads it; by default all of it is in the image."""

    def arn_in(self, partition: str, account: str, region: str) -> str:
        """Return the ARN of the version; a group of no stated account is in this one."""
        return (
            self.arn
            or f"arn:{partition}:sagemaker:{region}:{account}:model-package/{self.group}/{self.version}"
        )

    @model_validator(mode="before")
    @classmethod
    def _version_is_a_number(cls, stated: Any) -> Any:
        version = stated.get("version") if isinstance(stated, dict) else None
        if isinstance(version, str) and not version.isdigit():
            raise fault(
                "version",
                f"{version} would have to be looked up, and two plans of one configuration could differ: write the number of the "
                "version, which the pipeline that approves it raises in a commit",
            )
        return stated

    @model_validator(mode="after")
    def _is_one_version(self) -> Self:
        named = [key for key in ("group", "version") if getattr(self, key) is not None]
        if self.arn is not None and named:
            raise fault(named[0], f"stands beside arn, which names group and version; {without(named[0])}")
        if self.arn is None and len(named) < 2:
            missing = "version" if named == ["group"] else "group"
            raise fault(
                missing,
                "is missing: a model package is a group and a version, or the arn of one in another account",
            )
        return self


ON_PACKAGE = (
    Below(
        OnChange(
            changed="another model goes live",
            added="the model registry names image and artifact",
            removed="image and artifact are named here",
        )
    ),
    SelectionNeed.IMAGE,
)
