"""One environment: everything that a plan is made from."""

from collections.abc import Iterator
from typing import Annotated, Any, Self, cast

from pydantic import Field, model_validator

from sizewell.config.base import MAX_WORKLOADS, ConfigModel, ExpiryDays, Name, fault
from sizewell.config.bootstrap import ON_BOOTSTRAP, Bootstrap
from sizewell.config.cluster import Clusters
from sizewell.config.effects import Below, OnChange, OnItems, OnPeriod, OnToggle
from sizewell.config.existing import ExistingResources
from sizewell.config.experiments import ON_MLFLOW_APP
from sizewell.config.names import NamePatterns
from sizewell.config.network import Network
from sizewell.config.place import Place, PlaceName
from sizewell.config.policy import Policy
from sizewell.config.repeated_runs import StartedRuns, runs_per_month
from sizewell.config.tags import Tags
from sizewell.config.tree import KeyPath
from sizewell.config.variant_names import endpoint_of
from sizewell.config.workload import Containers, Workload
from sizewell.facts.regions import partition_of

#: An address as browsers accept it: https://html.spec.whatwg.org/multipage/input.html#valid-e-mail-address, with a domain.
Email = Annotated[
    str,
    Field(
        pattern=(
            r"^[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?"
            r"(\.[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?)+$"
        ),
        max_length=254,
        examples=["team@example.com"],
    ),
]


#: More than AWS has regions.
MAX_PLACES = 100


class Storage(ConfigModel):
    """How long the buckets keep things."""

    checkpoint_expiry_days: Annotated[
        ExpiryDays,
        OnPeriod("checkpoints older than {} days are deleted", "checkpoints are kept longer"),
    ] = 30
    """Days after which a checkpoint is deleted, counted from when it was written."""
    inference_data_expiry_days: Annotated[
        ExpiryDays,
        OnPeriod(
            "requests and answers older than {} days are deleted", "requests and answers are kept longer"
        ),
    ] = 90
    """Days after which requests and answers below inference/ of the artifact bucket expire, where a workload writes any; one
    day later S3 deletes their versions, too, and nothing of them is left."""
    noncurrent_version_expiry_days: Annotated[
        ExpiryDays,
        OnPeriod("replaced artifacts are deleted after {} days", "replaced artifacts are kept longer"),
    ] = 90
    """Days after which a replaced model artifact is deleted, counted from its replacement."""


class Notifications(ConfigModel):
    """Who hears of alarms and failed jobs."""

    emails: Annotated[
        tuple[Email, ...],
        Field(max_length=50),
        OnItems(lost="alarms no longer go to {items}", gained="alarms go to {items}"),
    ] = ()
    """Addresses that get alarms and failed jobs; each must confirm its subscription once."""

    subscribed_elsewhere: Annotated[
        bool,
        OnToggle(
            on="somebody is said to subscribe to the topic outside of this platform",
            off="alarms go to the addresses only",
        ),
    ] = False
    """Whether somebody subscribes to the alarm topic outside of this platform: production needs an address, or this."""

    ops_items: Annotated[
        bool,
        OnToggle(
            on="an OpsItem is opened for each endpoint that fails",
            off="no OpsItem is opened any more for an endpoint that fails",
        ),
    ] = False
    """Whether an OpsItem of AWS Systems Manager is opened for each endpoint that fails, beside the message to the topic."""

    @model_validator(mode="after")
    def _emails_differ(self) -> Self:
        for index, email in enumerate(self.emails):
            if email.lower() in (other.lower() for other in self.emails[:index]):
                raise fault(f"emails.{index}", f"{email} stands twice")
        return self


#: Of platform and environment together: the name of a bucket adds ``-access-logs-``, an account, a hyphen and a region of 14
#: characters, and S3 takes 63 (https://docs.aws.amazon.com/AmazonS3/latest/userguide/bucketnamingrules.html). That of a training
#: job adds a workload of 26 and 13 of its own, and SageMaker takes 63 as well.
MAX_PREFIX_CHARACTERS = 22


class Environment(ConfigModel):
    """The merged configuration of one environment; ``sizewell.config.kind.environment_model`` has the class of its workloads."""

    name: Annotated[str, Field(pattern=r"^[a-z][a-z0-9]{1,7}$", examples=["dev"])]
    """The name of the environment; the loader takes it from the file name."""
    platform: Annotated[
        str,
        Field(pattern=r"^[a-z][a-z0-9]*(-[a-z0-9]+)*$", min_length=2, max_length=18, examples=["demo"]),
        OnChange("every name changes: everything is created anew"),
    ]
    """The name of the platform: the first part of the names that people see, unless names says otherwise."""
    tags: Annotated[
        Tags,
        Below(
            OnChange(
                changed="everything carries {}",
                added="everything carries it",
                removed="nothing carries it any more",
            )
        ),
    ] = {}
    """Tags of everything that can carry them, for example {cost-center: research}; those of a workload come before
    them. platform and environment are set already."""
    names: NamePatterns = NamePatterns()
    """How stacks, workloads and buckets are called, where the names that they have by default do not suit the company."""
    policy: Policy
    """What this environment allows and demands: account, region, budget, limits on instances, rule packs."""
    bootstrap: Annotated[Bootstrap | None, ON_BOOTSTRAP] = None
    """What cdk bootstrap made in the account, where it has other names than usual."""
    network: Network
    """The VPC of the environment: a new one, or one that exists, by its ids or its tags."""
    existing: ExistingResources = ExistingResources()
    """Keys, buckets, a topic and security groups of the account: what is named is used, what is not named is made."""
    mlflow_app: Annotated[bool, ON_MLFLOW_APP] = False
    """Whether an MLflow App is made, serverless and without charge, in which trainings with an experiment record their runs. It
    is called over the internet; the artifacts of runs go to the artifact bucket."""
    places: Annotated[dict[PlaceName, Place], Field(max_length=MAX_PLACES)] = {}
    """Other accounts and regions by name, for workloads that say place: NAME; each has a foundation of its own."""
    clusters: Clusters = {}
    """Clusters by a name of yours, for workloads that say target: NAME; without a target they run in SageMaker. They exist,
    but for those of AWS Batch, which makes its own."""
    storage: Storage = Storage()
    """How many days the buckets keep checkpoints and replaced artifacts."""
    notifications: Notifications = Notifications()
    """Who hears of alarms and failed jobs, by an Amazon SNS topic."""
    dashboard: Annotated[
        bool,
        OnToggle(on="a CloudWatch dashboard shows every workload", off="the dashboard of the workloads goes"),
    ] = True
    """Whether each place has a CloudWatch dashboard of its workloads. AWS bills 3 USD a month for each beyond the first three of
    an account."""
    workloads: Annotated[dict[Name, Workload], Field(min_length=1, max_length=MAX_WORKLOADS)]
    """What runs, by name; a name has 2 to 26 lower-case letters, digits and single hyphens."""

    def contained(self) -> Iterator[tuple[KeyPath, Any]]:
        """Yield what has a container of its own, by its path; where variants stand ``apart``, each of them."""
        for name, workload in self.workloads.items():
            for path, contained in workload.contained().items():
                yield ("workloads", name, *path), contained

    def containers(self) -> Containers:
        """Yield the containers of all workloads, each with its path in the environment."""
        for name, workload in self.workloads.items():
            for path, container in workload.containers():
                yield ("workloads", name, *path), container

    def parts(self) -> Iterator[tuple[str | None, "Environment"]]:
        """Yield what runs in each place, as an environment of that account and region; None is the place of the policy."""
        yield None, self.part(None)
        for name in self.places:
            yield name, self.part(name)

    def part(self, place_name: str | None) -> "Environment":
        """Return what runs in one place, as an environment without places.

        The permissions boundary and the roles of a bootstrap are those of the same name in the account of the place.
        """
        if place_name is None:
            region = self.policy.region
            return self.model_copy(update={"workloads": self._workloads_in(None, region), "places": {}})
        place = self.places[place_name]
        account, region = place.account or self.policy.account, place.region or self.policy.region
        boundary = self.policy.permissions_boundary_arn
        policy = self.policy.model_copy(
            update={
                "account": account,
                "region": region,
                "permissions_boundary_arn": boundary and _in_account(boundary, account, region),
            }
        )
        return self.model_copy(
            update={
                "policy": policy,
                "bootstrap": self._bootstrap_in(account, region),
                "network": place.network,
                "existing": place.existing,
                "mlflow_app": place.mlflow_app,
                "workloads": self._workloads_in(place_name, region),
                "places": {},
            }
        )

    def apart(self) -> "Environment":
        """Return it with each variant of an endpoint as a workload of its own, and with the runs of jobs that pipelines start:
        what rules look at, and what is planned."""
        apart: dict[str, Workload] = {}
        steps = self.steps_by_workload()
        for name, workload in self.workloads.items():
            pipelines = [cast(StartedRuns, self.workloads[pipeline]) for pipeline, _ in steps.get(name, ())]
            apart |= workload.with_runs_of([runs_per_month(pipeline) for pipeline in pipelines]).apart(name)
        return self.model_copy(update={"workloads": apart})

    def steps_by_workload(self) -> dict[str, list[tuple[str, str]]]:
        """Return the pipelines that run each workload, each with the step that does."""
        found: dict[str, list[tuple[str, str]]] = {}
        for name, workload in self.workloads.items():
            for step, runs in workload.runs().items():
                found.setdefault(runs, []).append((name, step))
        return found

    def as_written(self, path: KeyPath) -> KeyPath:
        """Return where something is stated that was found in a workload of ``apart``."""
        if path[0] != "workloads" or len(path) < 2:
            return path
        name = endpoint_of(path[1])
        return ("workloads", name, *self.workloads[name].as_written(path[1], path[2:]))

    def _workloads_in(self, place_name: str | None, region: str) -> dict[str, Workload]:
        """Return the workloads of a place, with the images of its region."""
        return {
            name: workload.in_region(region)
            for name, workload in self.workloads.items()
            if workload.place == place_name
        }

    def _bootstrap_in(self, account: str, region: str) -> Bootstrap | None:
        if self.bootstrap is None:
            return None
        roles = {key: _in_account(arn, account, region) for key, arn in self.bootstrap.role_arns.items()}
        return self.bootstrap.model_copy(update=roles)


def _in_account(own_arn: str, account: str, region: str) -> str:
    """Return the ARN of the policy or role of the same name in an account; a policy of AWS itself is in all of them."""
    arn, _, service, no_region, owner, name = own_arn.split(":", 5)
    return ":".join(
        (arn, partition_of(region), service, no_region, owner if owner == "aws" else account, name)
    )
