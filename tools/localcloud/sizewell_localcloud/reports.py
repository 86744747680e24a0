"""The commands that report on the local cloud and change nothing."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from sizewell_localcloud import daemon
from sizewell_localcloud.environment import require_environment
from sizewell_localcloud.interrupts import held
from sizewell_localcloud.places import IMPORT_ROOT, STATE_DIRECTORY
from sizewell_localcloud.process import end_group
from sizewell_localcloud.state import Deployment, State
from sizewell_localcloud.variables import client_environment, client_variables, without_foreign

#: Unset in a shell in any case; every other ``AWS_`` variable, when it is there.
ALWAYS_UNSET = ("AWS_PROFILE", "AWS_DEFAULT_PROFILE", "AWS_CA_BUNDLE")


class ReportError(Exception):
    """The account could not be read."""


def status() -> int:
    """Say what runs and what was deployed; return 0 when something runs."""
    state = daemon.find()
    if state is None:
        print("no local cloud runs: sizewell deploy-local --env dev starts one")
        return 1
    print(f"the local cloud runs at {state.endpoint_url}, process {state.pid}", flush=True)
    for deployment in state.deployments:
        for place in places_of(deployment.environment):
            show(client(state, place), "deployed", place)
    return 0


def environment_lines(environment: str | None) -> str:
    """Return what a shell evaluates to talk to the local cloud as the account of an environment.

    Every other ``AWS_`` variable of the shell is unset: one like ``AWS_ENDPOINT_URL_S3`` would lead to another service.
    """
    state = daemon.find()
    deployment = state.deployment(environment) if state is not None else None
    if state is None or deployment is None:
        raise LookupError("nothing is deployed to a local cloud: sizewell deploy-local --env dev")
    variables = client_variables(state.endpoint_url, state.secret, deployment.account, deployment.region)
    # What is no name in a shell is no variable of it, and must not be evaluated.
    present = {name for name in os.environ if re.fullmatch(r"AWS_[A-Za-z0-9_]+", name)}
    gone = sorted({*ALWAYS_UNSET, *present} - set(variables))
    return "\n".join([f"unset {' '.join(gone)}", *(f"export {k}='{v}'" for k, v in variables.items())])


def coverage() -> int:
    """List what the emulator does and what it refuses."""
    require_environment()
    return run_module("sizewell_localcloud.emulator.coverage_report", [], without_foreign(os.environ))


def assembly_of(environment: str) -> Path:
    """Return where the templates of an environment are."""
    return STATE_DIRECTORY / f"cdk.out-{environment}"


def places_of(environment: str) -> list[Deployment]:
    """Return the accounts and regions that an environment is deployed to, that of its policy first."""
    plan = json.loads((assembly_of(environment) / "plan.json").read_text("utf-8"))
    foundations = (plan["foundation"], *plan["places"])
    return [
        Deployment(environment, foundation["account"], foundation["region"]) for foundation in foundations
    ]


def show(variables: Mapping[str, str], what: str, deployment: Deployment) -> None:
    """Print what is deployed in an account and region of an environment, or what destroying has kept."""
    plan = (assembly_of(deployment.environment) / "plan.json").absolute()
    arguments = [what, str(plan), deployment.account, deployment.region]
    if run_module("sizewell_localcloud.deployed", arguments, variables) != 0:
        raise ReportError("what is deployed in the local cloud could not be read back")


def run_module(module: str, arguments: Sequence[str], variables: Mapping[str, str]) -> int:
    """Run a module that knows no other variables than these; whatever interrupts us ends it."""
    process: subprocess.Popen[bytes] | None = None
    try:
        with held():
            process = subprocess.Popen(
                [sys.executable, "-m", module, *arguments],
                cwd=IMPORT_ROOT,
                env=variables,
                stdin=subprocess.DEVNULL,
                start_new_session=True,
            )
        return process.wait()
    finally:
        if process is not None:
            end_group(process)


def client(state: State, deployment: Deployment) -> dict[str, str]:
    """Return the environment of a child process that talks to the local cloud as the account of a deployment."""
    home = STATE_DIRECTORY / "cdk-home"
    return client_environment(state.endpoint_url, state.secret, deployment.account, deployment.region, home)
