"""What the shell offers after ``--env`` and where a workload is named: read from the files, and nothing but read."""

import re
from pathlib import Path

import typer

from sizewell.facts.days import DAY_PATTERN


def complete_environment(ctx: typer.Context, incomplete: str) -> list[str]:
    """Return the environments of the configuration that begin with what is typed."""
    from sizewell.config import environment_names

    return [name for name in environment_names(_directory(ctx)) if name.startswith(incomplete)]


def complete_workload(ctx: typer.Context, incomplete: str) -> list[str]:
    """Return the workloads of any environment that begin with what is typed; files with faults offer what they can."""
    from sizewell.config.loading import workload_kinds

    kinds, _ = workload_kinds(_directory(ctx))
    return [name for name in kinds if name.startswith(incomplete)]


def require_day(value: str | None) -> str | None:
    """Return the day that is given; ends the command where it is none."""
    if value is not None and not re.fullmatch(DAY_PATTERN, value):
        raise typer.BadParameter(f'"{value}" is no day: write it as YYYY-MM-DD')
    return value


def require_environment(ctx: typer.Context, value: str) -> str:
    """Return the environment that is named; where none is, end the command with those that there are."""
    if not value and not ctx.resilient_parsing:
        from sizewell.config import environment_names

        directory = _directory(ctx)
        names = environment_names(directory)
        if not names:
            ctx.fail(f"there is no environment in {directory.as_posix()}/: no file like dev.yaml")
        ctx.fail(f"say which environment: --env {'|'.join(names)}")
    return value


def _directory(ctx: typer.Context) -> Path:
    """Return the configuration directory: what was typed before, or the default."""
    return Path(ctx.params.get("config") or "config")
