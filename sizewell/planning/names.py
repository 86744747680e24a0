"""Every name that people see, made in one place; CloudFormation names the rest.

Nothing is cut but what begins the name of a tuning job: with the default patterns every other name fits, since platform and
environment have at most 22 characters together, a workload 26 and a region 14; with others, ``name_faults`` refuses what does
not.
"""

from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from sizewell.config.environment import Environment
from sizewell.config.names import PLACEHOLDER, NamePatterns
from sizewell.config.policy import Policy
from sizewell.config.variant_names import endpoint_of
from sizewell.config.workload import Workload
from sizewell.facts.regions import image_uri, partition_of
from sizewell.facts.tuning_jobs import MAX_NAME_PREFIX_CHARACTERS
from sizewell.planning.foundation_plan_model import NameWildcardsPlan
from sizewell.planning.saved_files import foundation_name

#: What {purpose} stands for in the name of a bucket.
ARTIFACTS, CHECKPOINTS, ACCESS_LOGS = BUCKET_PURPOSES = ("artifacts", "checkpoints", "access-logs")
_DEFAULT = NamePatterns()
_DEFAULT_OF_WORKLOADS = "{platform}-{environment}-{workload}"
_DEFAULT_OF_BUCKETS = "{platform}-{environment}-{purpose}-{account}-{region}"


@dataclass(frozen=True, slots=True)
class Names:
    """The names of one platform in one place of an environment."""

    platform: str
    environment: str
    account: str
    region: str
    patterns: NamePatterns = _DEFAULT
    place: str | None = None
    """None is that of the policy."""

    @property
    def prefix(self) -> str:
        """The first part of the names that have no pattern."""
        return f"{self.platform}-{self.environment}"

    @property
    def partition(self) -> str:
        """The AWS partition of the region."""
        return partition_of(self.region)

    @property
    def foundation_stack(self) -> str:
        """The stack of everything shared."""
        return self.stack(foundation_name(self.place))

    @property
    def dashboard(self) -> str:
        """The dashboard of the place: its name is unique in the account, whatever the region."""
        return self.prefix if self.place is None else f"{self.prefix}-{self.place}"

    def wildcards(self) -> NameWildcardsPlan:
        """Return what the names of this environment match."""
        return NameWildcardsPlan(stack=self.stack("*"), workload=self.workload("*"), bucket=self.bucket("*"))

    @property
    def parameter_prefix(self) -> str:
        """Where the foundation publishes its identifiers for workload stacks, in SSM Parameter Store."""
        return f"/{self.platform}/{self.environment}/foundation"

    def stack(self, workload: str) -> str:
        """Return the name of a workload's stack; a variant has that of its endpoint."""
        return self._fill(self.patterns.stack or _DEFAULT_OF_WORKLOADS, workload=endpoint_of(workload))

    def workload(self, workload: str) -> str:
        """Return the name of a workload's endpoint, state machine or training jobs."""
        return self._fill(self.patterns.workload or _DEFAULT_OF_WORKLOADS, workload=endpoint_of(workload))

    def model_group(self, group: str) -> str:
        """Return the name of a model group, which is unique in account and region."""
        return self.workload(group)

    def tuning_job(self, workload: str) -> str:
        """Return what the names of tuning jobs begin with: the name of the workload, or its own and a digest of it where that
        is too long."""
        name = self.workload(workload)
        if len(name) <= MAX_NAME_PREFIX_CHARACTERS:
            return name
        digest = sha256(name.encode()).hexdigest()[:6]
        return f"{workload[: MAX_NAME_PREFIX_CHARACTERS - 7].rstrip('-')}-{digest}"

    def component(self, workload: str, component: str) -> str:
        """Return the name of an inference component. Of others only single hyphens are in the name: no two make the same."""
        return f"{self.workload(workload)}--{component}"

    def bucket(self, purpose: str) -> str:
        """Return the name of a bucket; in the default, account and region make it unique in the world."""
        return self._fill(self.patterns.bucket or _DEFAULT_OF_BUCKETS, purpose=purpose)

    def _fill(self, pattern: str, **given: str) -> str:
        values = {
            "platform": self.platform,
            "environment": self.environment,
            "account": self.account,
            "region": self.region,
            **given,
        }
        return PLACEHOLDER.sub(lambda found: values[found[1]], pattern)

    def image_uri(self, account: str, repository: str, tag: str) -> str:
        """Return the address of an image in Amazon ECR, in this region."""
        return image_uri(account, self.region, repository, tag)

    def repository_arn(self, account: str, repository: str) -> str:
        """Return the ARN that a role needs to pull an image."""
        return f"arn:{self.partition}:ecr:{self.region}:{account}:repository/{repository}"


def names_in(environment: Environment, place: str | None) -> Names:
    """Return the names in a place; ``environment`` is the part of the whole one that runs there."""
    policy = environment.policy
    return Names(
        environment.platform, environment.name, policy.account, policy.region, environment.names, place
    )


def composite_alarm_name(policy: Policy, names: Names, workload_name: str) -> str | None:
    """Return what the alarm is called that tells people for all of a workload; None where the policy wants none."""
    return f"{names.workload(workload_name)}-Incident" if policy.composite_alarms else None


def stated_keys(name: str, workload: Workload, names: Names) -> dict[str, Any]:
    """Return what the plan of every workload has: its names, and what is stated of each."""
    return {
        "name": name,
        "description": workload.description,
        "stack_name": names.stack(name),
        "tags": dict(sorted(workload.tags.items())),
        "place": workload.place,
        "execution_role_arn": workload.execution_role_arn,
    }
