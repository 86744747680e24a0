"""How the command line fails: one message, one exit code, never a stack trace."""

import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any, NoReturn

import typer
from typer.core import TyperGroup

from sizewell.cli.output import STANDARD_OUTPUT, RefusedError, discard, refusal, tell

#: 1: the configuration has faults. 2 is Typer's own: the command was called wrongly.
CONFIG_ERROR_EXIT_CODE = 1
#: Of a command whose docstring does not say more.
EXIT_CODES = """\b
Exit codes:
  0  done
  1  the configuration has faults, or a file cannot be read or written
  2  the command was called wrongly"""


class Commands(TyperGroup):
    """All commands: where the system refuses to read or write, each ends with one message and the exit code 1."""

    def get_command(self, *args: Any, **kwargs: Any) -> Any:
        """Return a command whose help says its exit codes."""
        command = super().get_command(*args, **kwargs)
        if command is not None and "Exit codes:" not in (command.help or ""):
            command.epilog = EXIT_CODES
        return command

    def main(self, *args: Any, **kwargs: Any) -> Any:
        """Run the command line."""
        try:
            return super().main(*args, **kwargs)
        except RefusedError as error:
            tell(str(error))
        except OSError as error:
            # Typer prints the help itself; a file is one that nobody expected to be refused.
            discard(sys.stdout)
            tell(
                str(RefusedError(error, STANDARD_OUTPUT))
                if error.filename is None
                else f"{error.filename}\n  {refusal(error)}"
            )
        sys.exit(CONFIG_ERROR_EXIT_CODE)


@contextmanager
def report_config_errors() -> Iterator[None]:
    """Turn a ``ConfigError`` into its message on standard error and the exit code 1."""
    from sizewell.config import ConfigError

    try:
        yield
    except ConfigError as error:
        tell(error.render())
        raise typer.Exit(CONFIG_ERROR_EXIT_CODE) from None


def exit_with(message: str) -> NoReturn:
    """Print a message on standard error and end with the exit code 1."""
    tell(message)
    raise typer.Exit(CONFIG_ERROR_EXIT_CODE)


def exit_unknown_workload(name: str, environment_name: str, workloads: Iterable[str]) -> NoReturn:
    """Say that there is no such workload, which ones there are, and which one was probably meant."""
    from sizewell.config.faults import near_match
    from sizewell.config.printable import printable_word

    names = tuple(workloads)
    message = (
        f'there is no workload "{printable_word(name)}" in {environment_name}; it has: {", ".join(names)}'
    )
    match = near_match(name, names)
    exit_with(f"{message}\ndid you mean {match}?" if match else message)
