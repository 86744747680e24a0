"""Synthesize an environment into ``cdk.out``, whole or not at all.

Called by ``sizewell deploy`` and by ``make synth``. Each run writes to a directory of its own, so that what a killed run
left running cannot write into the output of another; of several runs at once, the last one to end wins. What a killed run
left behind, the next one removes.
"""

import errno
import fcntl
import os
import re
import shutil
import signal
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from itertools import count
from pathlib import Path
from tempfile import mkdtemp

from sizewell.synthesis.processes import run, search_path, termination_as_exit, variables
from sizewell.synthesis.synthesize import SYNTH, TOOLS

OUTPUT = Path("cdk.out")
#: What the CDK CLI says of every success: the wrong directory, and what to do with it.
_USUAL = re.compile(rb"^(Successfully synthesized to .*|Supply a stack id .*|)(\n|\Z)", re.MULTILINE)


#: Takes a new output before it is in its place, and what cdk said of it.
OnSuccess = Callable[[Path, bytes], None]


def main(
    environment: str,
    config: str,
    settings: Mapping[str, str] | None = None,
    *,
    on_success: OnSuccess = lambda _output, _said: None,
) -> int:
    """Replace ``cdk.out`` in this directory; print what cdk says against it and return 1 when there is nothing new.

    ``settings`` is the environment of the CDK CLI; by default that of this process.
    """
    try:
        with termination_as_exit():
            return _synthesize(environment, config, settings or variables({}), on_success)
    except KeyboardInterrupt:
        return 128 + signal.SIGINT
    except OSError as error:
        print(f"{error.filename or OUTPUT}: {error.strerror}; {OUTPUT} cannot be written", file=sys.stderr)
        return 1


def _synthesize(environment: str, config: str, settings: Mapping[str, str], on_success: OnSuccess) -> int:
    parent = os.getppid()
    with _own_directory() as own:
        new = own / "new"
        context = [f"--context=env={environment}", f"--context=config={config}"]
        command = [*SYNTH, *context, "--output", str(new)]
        finished = run(command, directory=Path(), environment=settings)
        said = finished.stderr if finished.code else _USUAL.sub(b"", finished.stderr)
        sys.stderr.buffer.write(said)
        # A make that was killed has no say any more: another environment may have been synthesized since.
        if finished.code or os.getppid() != parent:
            return 1
        on_success(new, said)
        replace(OUTPUT, new, own)
    return 0


@contextmanager
def _own_directory() -> Iterator[Path]:
    """Make a directory for one run, which holds a lock on it, and remove those whose run is gone."""
    with _locked(Path()):
        for path in Path().glob(f"{OUTPUT}.new-*"):
            # A lock ends with its process, however that ends. One that cannot be had, or not known, keeps the directory.
            with suppress(OSError), _locked(path, fcntl.LOCK_NB):
                shutil.rmtree(path, ignore_errors=True)
        own = Path(mkdtemp(prefix=f"{OUTPUT}.new-", dir="."))
        descriptor = _lock(own)
    try:
        yield own
    finally:
        shutil.rmtree(own, ignore_errors=True)
        os.close(descriptor)


@contextmanager
def _locked(directory: Path, flag: int = 0) -> Iterator[None]:
    descriptor = _lock(directory, flag)
    try:
        yield
    finally:
        os.close(descriptor)


def _lock(directory: Path, flag: int = 0) -> int:
    """Return a descriptor that holds the lock on a directory."""
    descriptor = os.open(directory, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | flag)
    except OSError:
        os.close(descriptor)
        raise
    return descriptor


def cdk_variables() -> dict[str, str]:
    """Return the environment in which the CDK CLI of this project runs, with its Node.js and Python."""
    return variables(
        {
            "PATH": search_path(TOOLS),
            "CDK_DISABLE_CLI_TELEMETRY": "true",
            # As the console script says: the version is that of the lock.
            "CDK_DISABLE_VERSION_CHECK": "1",
        }
    )


def replace(old: Path, new: Path, aside: Path) -> None:
    """Put a directory in the place of another, which goes to ``aside``, while other processes may do the same."""
    for number in count():
        with suppress(FileNotFoundError):
            old.rename(aside / f"old-{number}")
        # Unlike mv, this never moves into a directory that another process has put there meanwhile.
        try:
            new.rename(old)
        except OSError as error:
            if error.errno not in (errno.ENOTEMPTY, errno.EEXIST):
                raise
        else:
            return
