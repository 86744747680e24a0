"""The page of the site that lists every command, from the commands themselves."""

from collections.abc import Iterator
from typing import Any

import typer.main

from sizewell.cli.main import app

_HEAD = """# Commands

What `sizewell COMMAND --help` prints, of every command. The [overview](../README.md#commands) says when to use which.
"""


def commands_page() -> str:
    """Return a section for each command: usage, what it does, its arguments and options, its exit codes."""
    commands = dict(_commands("", typer.main.get_command(app)))
    return "\n".join([_HEAD, *("\n".join(_section(name, commands[name])) for name in sorted(commands))])


def _commands(prefix: str, group: Any) -> Iterator[tuple[str, Any]]:
    """Yield each command by its name, that of its group first."""
    for name, command in group.commands.items():
        if hasattr(command, "commands"):
            yield from _commands(f"{prefix}{name} ", command)
        else:
            yield f"{prefix}{name}", command


def _section(name: str, command: Any) -> Iterator[str]:
    with typer.Context(command, info_name=name) as context:
        usage = " ".join(command.collect_usage_pieces(context))
        records = [_record(parameter, context) for parameter in command.params]
    yield f"## `sizewell {name}`\n"
    yield f"    sizewell {name} {usage}\n"
    yield from map(_block, (command.help or "").split("\n\n"))
    rows = [record for record in records if record]
    if rows:
        yield "| argument or option | what it says |\n|---|---|"
        yield from (f"| `{_cell(names)}` | {_cell(_text(words))} |" for names, words in rows)
        yield ""


def _record(parameter: Any, context: Any) -> tuple[str, str] | None:
    """Return the names and the help of a parameter; None of what --help leaves out. An argument has no record by itself."""
    found: tuple[str, str] | None = parameter.get_help_record(context)
    return found


def _block(paragraph: str) -> str:
    """Return one paragraph of a help; what must not be wrapped, such as examples, begins with a backspace, as Click has it."""
    columns = paragraph.strip("\n").removeprefix("\b\n")
    return f"{_text(paragraph)}\n" if columns == paragraph.strip("\n") else f"```text\n{columns}\n```\n"


def _text(words: str) -> str:
    """Return plain text whose signs mean nothing in Markdown."""
    return words.replace("<", "&lt;").replace("*", "\\*").replace("[", "\\[")


def _cell(words: str) -> str:
    return words.replace("|", "\\|")
