"""The last resort: what nobody foresaw ends with one message, never with a stack trace or the code of a gate."""

import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import typer

from sizewell.cli.output import RefusedError, refusal, tell

#: The review or the comparison could not be made; 1 would say that it was, and that something stops the change.
UNEXPECTED_EXIT_CODE = 2
INTERRUPTED_EXIT_CODE = 130
_MAX_CHARACTERS = 300


@contextmanager
def doing(what: str, *outputs: str) -> Iterator[None]:
    """End the command where something unforeseen happens, with what was being done and the outputs to report.

    What is foreseen has ended the command already, and passes through. An interruption is said in one word, and what
    the system refuses is no fault of the command.
    """
    try:
        yield
    except (typer.Exit, typer.Abort, typer.BadParameter):
        raise
    except KeyboardInterrupt:
        tell("interrupted")
        raise typer.Exit(INTERRUPTED_EXIT_CODE) from None
    except RefusedError as error:
        tell(str(error))
        raise typer.Exit(UNEXPECTED_EXIT_CODE) from None
    except OSError as error:
        place = f"{error.filename}: " if isinstance(error.filename, str) else ""
        tell(f"sizewell stopped while {what}\n  {place}{refusal(error)}")
        raise typer.Exit(UNEXPECTED_EXIT_CODE) from None
    except Exception as error:
        tell("\n".join(_report(what, outputs, error)))
        raise typer.Exit(UNEXPECTED_EXIT_CODE) from None


def _report(what: str, outputs: tuple[str, ...], error: Exception) -> Iterator[str]:
    said = " ".join(str(error).split())[:_MAX_CHARACTERS]
    kind = type(error).__name__
    yield f"sizewell stopped while {what}: {kind}{f': {said}' if said else ''} ({_place(error)})"
    for output in outputs:
        yield f"  {output}"
    if not outputs:
        yield "this is a fault of sizewell: please report it with this message"
    elif len(outputs) == 1:
        yield "this is a fault of sizewell: please report it with this message and the output"
    else:
        yield "this is a fault of sizewell: please report it with this message and the two outputs"


def _place(error: Exception) -> str:
    frame = traceback.extract_tb(error.__traceback__)[-1]
    return f"{'/'.join(Path(frame.filename).parts[-3:])}:{frame.lineno}"
