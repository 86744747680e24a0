"""Every name that people see, made in one place; CloudFormation names the rest.

Limits: bucket 63 characters, endpoint 63, training job 63, state machine 80, stack 128. A platform has at most 12,
an environment 8, a workload 26 and a region 14 characters, so nothing is ever cut.
"""

from dataclasses import dataclass

from sizewell.facts.regions import image_uri, partition_of


@dataclass(frozen=True, slots=True)
class Names:
    """The names of one platform in one environment."""

    platform: str
    environment: str
    account: str
    region: str

    @property
    def prefix(self) -> str:
        """The first part of every name."""
        return f"{self.platform}-{self.environment}"

    @property
    def partition(self) -> str:
        """The AWS partition of the region."""
        return partition_of(self.region)

    @property
    def foundation_stack(self) -> str:
        """The stack of everything shared."""
        return f"{self.prefix}-foundation"

    @property
    def parameter_prefix(self) -> str:
        """Where the foundation publishes its identifiers for workload stacks, in SSM Parameter Store."""
        return f"/{self.platform}/{self.environment}/foundation"

    def bucket(self, purpose: str) -> str:
        """Return the name of a bucket; account and region make it unique in the world."""
        return f"{self.prefix}-{purpose}-{self.account}-{self.region}"

    def workload(self, workload: str) -> str:
        """Return the name of a workload's stack, endpoint, state machine or training jobs."""
        return f"{self.prefix}-{workload}"

    def image_uri(self, account: str, repository: str, tag: str) -> str:
        """Return the address of an image in Amazon ECR, in this region."""
        return image_uri(account, self.region, repository, tag)

    def repository_arn(self, account: str, repository: str) -> str:
        """Return the ARN that a role needs to pull an image."""
        return f"arn:{self.partition}:ecr:{self.region}:{account}:repository/{repository}"
