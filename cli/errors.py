"""How the command line fails: one message, one exit code, never a stack trace."""

from collections.abc import Iterator
from contextlib import contextmanager

import typer

#: 1: the configuration has faults. 2 is Typer's own: the command was called wrongly.
CONFIG_ERROR_EXIT_CODE = 1


@contextmanager
def report_config_errors() -> Iterator[None]:
    """Turn a ``ConfigError`` into its message on standard error and the exit code 1."""
    from config import ConfigError

    try:
        yield
    except ConfigError as error:
        typer.echo(error.render(), err=True)
        raise typer.Exit(CONFIG_ERROR_EXIT_CODE) from None
