"""What integration tests stand on: a cloud, one environment deployed in it by the real ``cdk``, and edited templates."""

import hashlib
import json
import os
import shutil
import subprocess
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Protocol

import boto3
from botocore.exceptions import ClientError

from sizewell.planning import plan_from_json
from sizewell.planning.plan import DeploymentPlan
from sizewell.targets.eks.pods_plan_model import EksClusterPlan
from sizewell.targets.plan_model import ClusterPlan
from sizewell.targets.serving.plan_model import ServedOnEc2Plan
from sizewell_localcloud.cloud import LocalCloud
from sizewell_localcloud.clusters import make_missing
from sizewell_localcloud.emulator.access import TOKEN_NAME
from tests.localcloud.processes import PATIENCE_S, until
from tests.synthesis import PROJECT_ROOT, synthesize

Template = dict[str, Any]
Popen = subprocess.Popen[str]
#: An endpoint may take half an hour, and a command deploys several.
REAL_COMMAND_SECONDS = 3 * 3600
DEPLOY_FLAGS = ("--require-approval", "never", "--progress", "events", "--concurrency", "4")


class Cloud(Protocol):
    """Where things are deployed: the local cloud, or a real account."""

    def environment(self, account: str, region: str) -> dict[str, str]:
        """Return the environment variables of a child process."""


class RealAccount:
    """The account of whoever runs the tests, with the credentials of the shell; asked for by a flag only."""

    def environment(self, account: str, region: str) -> dict[str, str]:
        """Return the shell's own environment."""
        return dict(os.environ)


@dataclass
class Admin:
    """Orders to the local cloud: what shall go wrong (tools/localcloud/sizewell_localcloud/emulator/admin.py)."""

    cloud: LocalCloud

    def script(self, kind: str, name_prefix: str, outcome: str, reason: str = "", **more: Any) -> None:
        """Order the outcome of the next endpoint operation or job whose name begins so."""
        fields = {"kind": kind, "name_prefix": name_prefix, "outcome": outcome, "reason": reason}
        self._post("scripts", fields | more)

    def fault(
        self, service: str, operation: str, moment: str, effect: str, nth: int = 1, **more: Any
    ) -> None:
        """Order an error, or the death of the caller, before or after the nth call from now on."""
        fields = {"service": service, "operation": operation, "moment": moment, "effect": effect, "nth": nth}
        self._post("faults", fields | more)

    def quotas(self, **values: float) -> None:
        """Order the values of quotas by their names until the next ``clear``."""
        self._post("quotas", {"values": values})

    def addresses(self, subnet_id: str, count: int) -> None:
        """Order how many addresses of a subnet are free until the next ``clear``."""
        self._post("addresses", {"subnet_id": subnet_id, "count": count})

    def set(self, **settings: Any) -> None:
        """Change a setting until the next ``clear``."""
        self._post("settings", settings)

    @contextmanager
    def held(self, operation: str) -> Iterator["Held"]:
        """Let an operation wait in its pauses: ``create``, ``update``, ``rescale`` or ``delete`` and the name of an endpoint,
        ``run`` and the beginning of the name of a job.
        """
        self._post("hold", {"operation": operation})
        try:
            yield Held(self, operation)
        finally:
            self._post("release", {"operation": operation})

    def clear(self) -> list[str]:
        """Forget orders, settings and the log of calls; return the orders that nothing has used."""
        unused: list[str] = self._post("clear", {})["unused"]
        return unused

    def until_quiet(self) -> None:
        """Wait until no function and no operation goes on: a late one would take what the next test orders."""
        until(lambda: self._ask("activity")["running"], lambda running: bool(running == 0))

    def calls(self) -> list[dict[str, Any]]:
        """Return every request to SageMaker and Application Auto Scaling since the last ``clear``."""
        found: list[dict[str, Any]] = self._ask("calls")
        return found

    def statuses(self) -> dict[str, list[str]]:
        """Return the statuses that each endpoint and job went through."""
        found: dict[str, list[str]] = self._ask("statuses")
        return found

    def _post(self, name: str, body: dict[str, Any]) -> Any:
        return self._ask(name, json.dumps(body).encode())

    def _ask(self, name: str, body: bytes | None = None) -> Any:
        url = f"{self.cloud.endpoint_url}/_localcloud/{name}"
        request = urllib.request.Request(url, data=body, headers={TOKEN_NAME: self.cloud.secret})
        with urllib.request.urlopen(request, timeout=PATIENCE_S) as response:
            return json.load(response)


@dataclass(frozen=True)
class Held:
    """An operation of the local cloud that waits in each of its pauses until the test lets it go on."""

    admin: Admin
    operation: str

    def until_pause(self) -> float:
        """Wait until the operation has come to a pause, and return how many seconds it would take in AWS."""
        return float(until(self._pause, lambda seconds: seconds is not None) or 0)

    def end_pause(self) -> None:
        """Let the operation go on to its next pause."""
        self.admin._post("end_pause", {"operation": self.operation})

    def _pause(self) -> float | None:
        seconds: float | None = self.admin._post("pause", {"operation": self.operation})["seconds"]
        return seconds


@dataclass
class Deployment:
    """One environment of a configuration: its assembly, its plan, and the account that it is deployed in."""

    cloud: Cloud
    assembly: Path
    folder: Path
    """For edited copies of the assembly."""
    _clients: dict[str, Any] = field(default_factory=dict)

    @cached_property
    def plan(self) -> DeploymentPlan:
        """The plan that was synthesized."""
        return plan_from_json((self.assembly / "plan.json").read_text("utf-8"))

    @property
    def environment(self) -> dict[str, str]:
        """Environment variables for ``cdk``."""
        return self.cloud.environment(self.plan.account, self.plan.region)

    def client(self, service: str) -> Any:
        """Return a client of the account and region of the plan."""
        if service not in self._clients:
            variables = self.environment
            known = {
                "endpoint_url": variables.get("AWS_ENDPOINT_URL"),
                "aws_access_key_id": variables.get("AWS_ACCESS_KEY_ID"),
                "aws_secret_access_key": variables.get("AWS_SECRET_ACCESS_KEY"),
                "aws_session_token": variables.get("AWS_SESSION_TOKEN"),
            }
            self._clients[service] = boto3.client(service, region_name=self.plan.region, **known)
        return self._clients[service]

    def cdk(
        self, *arguments: str, assembly: Path | None = None, check: bool = True
    ) -> subprocess.CompletedProcess[str]:
        """Run ``cdk`` on the assembly, as a person would, and return how it ended."""
        result = subprocess.run(
            ["cdk", *arguments, "--app", str(assembly or self.assembly), "--no-notices"],
            cwd=PROJECT_ROOT,
            env=self.environment,
            capture_output=True,
            text=True,
            check=False,
            timeout=self._patience_s,
        )
        assert not check or result.returncode == 0, (
            f"cdk {' '.join(arguments)}\n{result.stdout}\n{result.stderr}"
        )
        return result

    @property
    def _patience_s(self) -> float:
        return REAL_COMMAND_SECONDS if isinstance(self.cloud, RealAccount) else PATIENCE_S

    def start_sizewell_deploy(
        self, *stacks: str, assembly: Path | None = None, flags: tuple[str, ...] = ()
    ) -> Popen:
        """Start ``sizewell deploy`` in a process group of its own; what it prints comes in lines."""
        which = (*stacks, "--exclusively") if stacks else ()
        command = ("sizewell", "deploy", "--app", str(assembly or self.assembly), *which)
        return subprocess.Popen(
            [*command, *DEPLOY_FLAGS, "--no-notices", *flags],
            cwd=PROJECT_ROOT,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )

    def sizewell_deploy(self, *stacks: str, flags: tuple[str, ...] = ()) -> None:
        """Run ``sizewell deploy`` for some stacks, or all of them."""
        process = self.start_sizewell_deploy(*stacks, flags=flags)
        printed, _ = process.communicate(timeout=self._patience_s)
        assert process.returncode == 0, printed

    def bootstrap(self) -> None:
        """Bootstrap each region that the plan needs, all of one account."""
        self.cdk(
            "bootstrap", *(f"aws://{one.account}/{one.region}" for one in self.plan.foundations.values())
        )

    @property
    def clusters(self) -> set[str]:
        """The clusters in which workloads run, as ``make_missing`` takes them."""
        return {
            _named(workload.cluster)
            for workload in self.plan.workloads
            if isinstance(workload, ServedOnEc2Plan)
        }

    def make_clusters(self) -> None:
        """Make the clusters that the plan names, where they are missing: a real account has its own."""
        if not isinstance(self.cloud, RealAccount):
            make_missing(self.client, self.clusters)

    def upload(self, artifacts: Path) -> None:
        """Put every file below a folder into the artifact bucket, under its path in the folder."""
        for path in sorted(path for path in artifacts.rglob("*") if path.is_file()):
            key = path.relative_to(artifacts).as_posix()
            self.client("s3").upload_file(str(path), self.plan.foundation.artifact_bucket_name, key)

    def deploy(
        self, *stacks: str, assembly: Path | None = None, check: bool = True
    ) -> subprocess.CompletedProcess[str]:
        """Deploy the named stacks alone, or all of them."""
        which = (*stacks, "--exclusively") if stacks else ("--all",)
        return self.cdk("deploy", *which, *DEPLOY_FLAGS, assembly=assembly, check=check)

    @property
    def stack_names(self) -> list[str]:
        """The stacks of the plan, the foundation first."""
        return [
            self.plan.foundation.stack_name,
            *(workload.stack_name for workload in self.plan.workloads),
        ]

    def stack(self, name: str) -> dict[str, Any]:
        """Return CloudFormation's description of a stack."""
        found: dict[str, Any] = self.client("cloudformation").describe_stacks(StackName=name)["Stacks"][0]
        return found

    def physical_ids(self, stack: str) -> dict[str, str]:
        """Return physical ids by logical id."""
        resources = self.client("cloudformation").describe_stack_resources(StackName=stack)["StackResources"]
        return {resource["LogicalResourceId"]: resource["PhysicalResourceId"] for resource in resources}

    def template(self, stack: str) -> Template:
        """Return the template that was synthesized for a stack."""
        return self.template_at(self.assembly, stack)

    @staticmethod
    def template_at(assembly: Path, stack: str) -> Template:
        """Return the template of a stack in another assembly."""
        template: Template = json.loads((assembly / f"{stack}.template.json").read_text("utf-8"))
        return template

    def edited(self, stack: str, edit: Callable[[Template], None], *, name: str) -> Path:
        """Return a copy of the assembly in which one template is edited: ``edit`` changes it in place."""
        copy = self.folder / name
        shutil.rmtree(copy, ignore_errors=True)
        shutil.copytree(self.assembly, copy)
        path = copy / f"{stack}.template.json"
        before = path.read_text("utf-8")
        template = json.loads(before)
        edit(template)
        after = json.dumps(template, indent=1)
        path.write_text(after, "utf-8")
        # The CLI uploads a template under its hash, unless it has been uploaded before.
        assets_path = copy / f"{stack}.assets.json"
        assets = json.loads(assets_path.read_text("utf-8"))
        old_hash = next(key for key, item in assets["files"].items() if item["source"]["path"] == path.name)
        new_hash = hashlib.sha256(after.encode()).hexdigest()
        for file in (assets_path, copy / "manifest.json"):
            file.write_text(file.read_text("utf-8").replace(old_hash, new_hash), "utf-8")
        return copy

    def destroy(self, *stacks: str, check: bool = True) -> subprocess.CompletedProcess[str]:
        """Destroy the named stacks, or all of them; those of production are protected until somebody says otherwise."""
        if self.plan.production:
            for name in stacks or self.stack_names:
                with suppress(ClientError):
                    self.client("cloudformation").update_termination_protection(
                        StackName=name, EnableTerminationProtection=False
                    )
        return self.cdk("destroy", *(stacks or ("--all",)), "--force", check=check)


def resources_of(template: Template, type_name: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield logical id and properties of the resources of a type."""
    for logical_id, resource in template["Resources"].items():
        if resource["Type"] == type_name:
            yield logical_id, resource.setdefault("Properties", {})


def only_resource(template: Template, type_name: str) -> dict[str, Any]:
    """Return the properties of the one resource of a type."""
    ((_, properties),) = resources_of(template, type_name)
    return properties


@contextmanager
def orders(admin: Admin) -> Iterator[Admin]:
    """Give orders that are forgotten afterwards; an order that was not used is a test that proved nothing."""
    admin.until_quiet()
    admin.clear()
    try:
        yield admin
    except BaseException:
        admin.clear()
        raise
    assert admin.clear() == []


@contextmanager
def deployed_from(config: Path | str, environment: str, cloud: Cloud, folder: Path) -> Iterator[Deployment]:
    """Synthesize an environment of a configuration, deploy it, and destroy it at the end."""
    synthesize(environment, folder / "cdk.out", config=str(config))
    deployment = Deployment(cloud=cloud, assembly=folder / "cdk.out", folder=folder)
    deployment.bootstrap()
    deployment.deploy()
    yield deployment
    deployment.destroy()


def _named(cluster: ClusterPlan) -> str:
    if isinstance(cluster, EksClusterPlan):
        return f"eks/{cluster.name}={cluster.version}"
    return f"ecs/{cluster.name}"
