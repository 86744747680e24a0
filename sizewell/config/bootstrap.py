"""What ``cdk bootstrap`` made in the account, where a company gave it names of its own."""

from typing import Annotated, Self

from pydantic import Field, model_validator

from sizewell.config.base import ConfigModel, fault
from sizewell.config.effects import OnChange
from sizewell.config.execution_role import RoleArn

#: Of the whole.
ON_BOOTSTRAP = OnChange(
    added="deployments use these roles and names instead of the usual ones of cdk bootstrap",
    removed="deployments use the usual roles and names of cdk bootstrap",
)
_ON_DEPLOY = OnChange(
    changed="another role deploys", added="this role deploys", removed="the role of cdk bootstrap deploys"
)
_ON_EXECUTION = OnChange(
    changed="CloudFormation makes everything with the rights of another role",
    added="CloudFormation makes everything with the rights of this role",
    removed="CloudFormation makes everything with the rights of the role of cdk bootstrap",
)
_ON_PUBLISHING = OnChange(
    changed="another role uploads templates",
    added="this role uploads templates",
    removed="the role of cdk bootstrap uploads templates",
)
_ON_LOOKUP = OnChange(
    changed="another role looks up what is there",
    added="this role looks up what is there",
    removed="the role of cdk bootstrap looks up what is there",
)
_ANOTHER_BOOTSTRAP = "deployments use another bootstrap: its roles and its bucket"
_ON_QUALIFIER = OnChange(changed=_ANOTHER_BOOTSTRAP, added=_ANOTHER_BOOTSTRAP, removed=_ANOTHER_BOOTSTRAP)
_UPLOADED_ELSEWHERE = "templates are uploaded to another place"
_ON_BUCKET = OnChange(changed=_UPLOADED_ELSEWHERE, added=_UPLOADED_ELSEWHERE, removed=_UPLOADED_ELSEWHERE)


class Bootstrap(ConfigModel):
    """Where deployments find their roles and their bucket; what is not stated has the name that CDK gives it."""

    qualifier: Annotated[
        str | None,
        # https://docs.aws.amazon.com/cdk/v2/guide/bootstrapping-customizing.html; the pattern is that of the parameter
        # Qualifier in the template of cdk bootstrap.
        Field(pattern=r"^[A-Za-z0-9_-]{1,10}$", examples=["company1"]),
        _ON_QUALIFIER,
    ] = None
    """What tells this bootstrap from others of the account (cdk bootstrap --qualifier), up to 10 letters, digits, _ and -; it
    comes before @aws-cdk/core:bootstrapQualifier in cdk.json."""
    deploy_role_arn: Annotated[RoleArn | None, _ON_DEPLOY] = None
    """The ARN of the role that deployments are started with (deployRoleArn)."""
    cloudformation_execution_role_arn: Annotated[RoleArn | None, _ON_EXECUTION] = None
    """The ARN of the role that CloudFormation makes everything with (cloudFormationExecutionRole)."""
    file_asset_publishing_role_arn: Annotated[RoleArn | None, _ON_PUBLISHING] = None
    """The ARN of the role that uploads templates (fileAssetPublishingRoleArn)."""
    lookup_role_arn: Annotated[RoleArn | None, _ON_LOOKUP] = None
    """The ARN of the role that reads what is there, for network.mode: lookup and cdk diff (lookupRoleArn)."""
    file_assets_bucket_name: Annotated[
        str | None,
        Field(pattern=r"^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$", examples=["company-cdk-assets"]),
        _ON_BUCKET,
    ] = None
    """The name of the bucket that templates are uploaded to (fileAssetsBucketName)."""
    bucket_prefix: Annotated[
        str | None,
        Field(pattern=r"^([A-Za-z0-9_.=-]+/)+$", max_length=200, examples=["ml/"]),
        _ON_BUCKET,
    ] = None
    """What the keys of these templates begin with, and ends with a slash (bucketPrefix)."""

    @model_validator(mode="after")
    def _states_something(self) -> Self:
        if all(getattr(self, key) is None for key in type(self).model_fields):
            raise fault(
                "", "names nothing of the bootstrap: state what has another name than usual, or remove it"
            )
        return self

    @property
    def role_arns(self) -> dict[str, str]:
        """The roles that have names of their own, by key."""
        found = {key: getattr(self, key) for key in type(self).model_fields if key.endswith("_role_arn")}
        return {key: arn for key, arn in found.items() if arn is not None}
