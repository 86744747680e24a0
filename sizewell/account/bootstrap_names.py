"""What ``cdk bootstrap`` made in an account and region is called, where the configuration names nothing else.

Names: ``DefaultStackSynthesizer``, https://docs.aws.amazon.com/cdk/v2/guide/bootstrapping-customizing.html
"""

import json
from dataclasses import dataclass
from pathlib import Path

from sizewell.facts.regions import partition_of
from sizewell.planning.foundation_plan_model import BootstrapPlan, FoundationPlan

QUALIFIER_KEY = "@aws-cdk/core:bootstrapQualifier"
#: That of CDK.
QUALIFIER = "hnb659fds"
_NOTHING_STATED = BootstrapPlan()


def qualifier_of_app(cdk_json: Path) -> str:
    """Return the qualifier of an app's bootstrap; that of CDK where its cdk.json names none, or cannot be read."""
    try:
        context = json.loads(cdk_json.read_text("utf-8"))["context"]
        return str(context[QUALIFIER_KEY])
    except (OSError, ValueError, LookupError, TypeError):
        return QUALIFIER


@dataclass(frozen=True)
class BootstrapNames:
    """The names of a bootstrap; ``qualifier_of_app`` is what cdk.json says, and the configuration comes before it."""

    foundation: FoundationPlan
    qualifier_of_app: str = QUALIFIER

    @property
    def qualifier(self) -> str:
        """What tells this bootstrap from others of the account."""
        return self._stated.qualifier or self.qualifier_of_app

    @property
    def version_parameter(self) -> str:
        """The parameter of Systems Manager that holds its version."""
        return f"/cdk-bootstrap/{self.qualifier}/version"

    @property
    def deploy_role_arn(self) -> str:
        """What deployments are started with."""
        return self._arn(self._stated.deploy_role_arn, "deploy-role")

    @property
    def publishing_role_arn(self) -> str:
        """What uploads templates."""
        return self._arn(self._stated.file_asset_publishing_role_arn, "file-publishing-role")

    @property
    def lookup_role_arn(self) -> str:
        """What reads: it has the rights of the AWS managed policy ReadOnlyAccess, without those to decrypt."""
        return self._arn(self._stated.lookup_role_arn, "lookup-role")

    @property
    def execution_role_arn(self) -> str:
        """What CloudFormation makes everything with."""
        return self._arn(self._stated.cloudformation_execution_role_arn, "cfn-exec-role")

    @property
    def _stated(self) -> BootstrapPlan:
        return self.foundation.bootstrap or _NOTHING_STATED

    def _arn(self, stated: str | None, name: str) -> str:
        place = self.foundation
        partition = partition_of(place.region)
        usual = f"arn:{partition}:iam::{place.account}:role/cdk-{self.qualifier}-{name}-{place.account}-{place.region}"
        return (stated or usual).replace("${AWS::Partition}", partition)
