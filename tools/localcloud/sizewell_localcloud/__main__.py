"""``python -m sizewell_localcloud``: a local cloud for this platform, from the first deployment to the last trace."""

import argparse
import re
import sys

from sizewell_localcloud import commands, daemon, interrupts, reports
from sizewell_localcloud.cdk import CdkError
from sizewell_localcloud.environment import EnvironmentMissingError
from sizewell_localcloud.process import StartError
from sizewell_localcloud.progress import Progress
from sizewell_localcloud.state import load_state

PLAIN_ERRORS = (
    CdkError,
    StartError,
    daemon.BusyError,
    daemon.ForeignDirectoryError,
    LookupError,
    reports.ReportError,
)


def main(arguments: list[str] | None = None) -> int:
    """Run one command and return its exit code: 2 where the emulator is not installed, 130 after Ctrl-C."""
    options = _parser().parse_args(arguments)
    progress = Progress()
    interrupts.install()
    try:
        return _run(options, progress)
    except interrupts.Interrupted as interrupted:
        progress.say(f"interrupted{_after_interrupted_deployment() if options.command == 'deploy' else ''}")
        return interrupted.exit_code
    except EnvironmentMissingError as error:
        progress.fail(str(error))
        return 2
    except PLAIN_ERRORS as error:
        progress.fail(str(error))
        return 1


def _run(options: argparse.Namespace, progress: Progress) -> int:
    match options.command:
        case "status":
            return reports.status()
        case "coverage":
            return reports.coverage()
        case "env":
            print(reports.environment_lines(options.environment))
            return 0
    with daemon.exclusive():
        match options.command:
            case "up":
                commands.up(progress)
            case "deploy":
                commands.deploy(options.environment, options.config, progress, verbose=options.verbose)
            case "destroy":
                commands.destroy(progress, verbose=options.verbose)
    return 0


def _after_interrupted_deployment() -> str:
    """Return what is left: the emulator when it ran before the command, otherwise nothing."""
    state = load_state()
    if state is not None and state.is_ours():
        return f": the local cloud ran before it and goes on running at {state.endpoint_url}"
    return ": the local cloud was ended, nothing of it is left"


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m sizewell_localcloud", description=__doc__)
    commands_ = parser.add_subparsers(dest="command", required=True)
    commands_.add_parser("up", help="start the emulator, if none runs")
    deploy = commands_.add_parser("deploy", help="deploy an environment with the real cdk command")
    deploy.add_argument("environment", type=_name, help="dev, staging, prod")
    deploy.add_argument("--config", default="config", help="the configuration directory")
    destroy = commands_.add_parser("destroy", help="destroy everything and end the emulator")
    for command in (deploy, destroy):
        command.add_argument("--verbose", action="store_true", help="show everything that cdk says")
    commands_.add_parser("status", help="what runs, and what is deployed in it")
    commands_.add_parser("coverage", help="what the emulator does and what it refuses")
    env = commands_.add_parser("env", help="what a shell evaluates to talk to it")
    env.add_argument("environment", nargs="?", type=_name, help="default: what was deployed last")
    return parser


def _name(text: str) -> str:
    if not re.fullmatch(r"[A-Za-z0-9_-]+", text):
        raise argparse.ArgumentTypeError(f"not the name of an environment: {text!r}")
    return text


if __name__ == "__main__":
    sys.exit(main())
