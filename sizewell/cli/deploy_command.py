"""``sizewell deploy``: what is deployed with which flags, and how it ends."""

import json
from collections.abc import Sequence
from functools import cache
from pathlib import Path

import typer

from sizewell.cli.output import tell
from sizewell.deploy.assembly import AssemblyError, AssemblyStack, read_assembly
from sizewell.deploy.cloudformation import CloudFormation, CloudFormationError, Connect
from sizewell.deploy.run import Deployment, Interrupted
from sizewell.deploy.state_machines import (
    Answer,
    InvalidStateMachinesError,
    Validate,
    validate_state_machines,
)
from sizewell.deploy.step_functions import NotValidatedError, StepFunctions
from sizewell.synthesis.cdk_cli import cdk_command
from sizewell.synthesis.replace_output import OUTPUT, cdk_variables
from sizewell.synthesis.replace_output import main as synthesize

BAD_INPUT_EXIT_CODE = 2
INTERRUPTED_EXIT_CODE = 130


def deploy_environment(
    environment: str,
    config: Path,
    app: Path | None,
    arguments: Sequence[str],
    profile: str | None,
    *,
    validate_only: bool,
) -> None:
    """Synthesize an environment, unless ``app`` is its output, deploy it, and end the command with cdk's exit code.

    ``arguments`` are names of stacks, and after them flags of ``cdk deploy``. ``validate_only`` ends it before that, when Step
    Functions has judged the state machines.
    """
    names, flags = split_arguments(arguments)
    settings = cdk_variables()
    if app is None and (code := synthesize(environment, str(config), settings)):
        raise typer.Exit(code)
    output = app or OUTPUT
    profile_flags = ["--profile", profile] if profile else []
    try:
        assembly = read_assembly(output)
        if misplaced := [flag for flag in flags if flag in assembly.stacks]:
            raise AssemblyError(f"{misplaced[0]}: name stacks before the flags of cdk deploy")
        selected = assembly.select(names, exclusively="--exclusively" in flags or "-e" in flags)
        if not _validated(selected, profile) and validate_only:
            raise typer.Exit(1)
        if validate_only:
            return
        deployment = Deployment(
            assembly,
            (*cdk_command("deploy"), "--app", str(output), *profile_flags, *flags),
            settings,
            _connect_by(profile),
            tell,
        )
        code = deployment.run(selected)
    except AssemblyError as error:
        tell(str(error))
        raise typer.Exit(BAD_INPUT_EXIT_CODE) from None
    except (CloudFormationError, InvalidStateMachinesError) as error:
        tell(str(error))
        raise typer.Exit(1) from None
    except Interrupted:
        raise typer.Exit(INTERRUPTED_EXIT_CODE) from None
    if code == 0:
        for line in next_steps(output):
            tell(line)
    raise typer.Exit(code)


def next_steps(output: Path) -> list[str]:
    """Return what is left to do: in clusters that have manifests, because stacks hold the roles of pods alone; then to verify."""
    from sizewell.planning.saved_files import PLAN_FILE
    from sizewell.review.cluster_objects import FOLDER

    folders = sorted(path for path in (output / FOLDER).glob("*") if path.is_dir())
    steps = [
        f"Next, in the cluster {folder.name}: bash {folder}/smoke.sh, then kubectl apply -k {folder}"
        for folder in folders
    ]
    try:
        environment = json.loads((output / PLAN_FILE).read_bytes())["environment"]
    except (OSError, ValueError, LookupError, TypeError):
        return steps  # the output of another app
    return [*steps, f"To see whether what runs is what was planned: sizewell verify --env {environment}"]


def split_arguments(arguments: Sequence[str]) -> tuple[list[str], list[str]]:
    """Return the names of stacks, and the flags of ``cdk deploy``, which begin with the first hyphen.

    ``--all`` is what happens without a name.
    """
    first_flag = next((i for i, word in enumerate(arguments) if word.startswith("-")), len(arguments))
    return list(arguments[:first_flag]), [word for word in arguments[first_flag:] if word != "--all"]


def _connect_by(profile: str | None) -> Connect:
    """Return a function that connects once for each region and role."""
    connection = cache(CloudFormation)
    return lambda one: connection(one.stack.account, one.stack.region, one.role_arn, profile)


def _validated(stacks: Sequence[AssemblyStack], profile: str | None) -> bool:
    """Show every state machine to Step Functions, and tell of it; return whether it was asked.

    Who may not ask, or cannot, deploys all the same: CloudFormation rolls a machine back that is refused.
    """
    try:
        count = validate_state_machines(stacks, _validate_by(profile))
    except NotValidatedError as error:
        tell(f"Step Functions was not asked about the state machines: {error}")
        return False
    if count:
        tell(f"Step Functions takes the definitions of {count} state machine{'s' if count > 1 else ''}")
    return True


def _validate_by(profile: str | None) -> Validate:
    """Return a function that connects once for each region."""
    connection = cache(StepFunctions)

    def validate(stack: AssemblyStack, definition: str, kind: str) -> Answer:
        return connection(stack.stack.region, profile).faults(definition, kind)

    return validate
