"""Write a file in one step, so that nobody reads half of it."""

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import mkstemp


def replace_file(path: Path, content: bytes) -> None:
    """Write a file, or leave the one that is there; another process may write it at the same time."""
    with staged_file(path, content) as new:
        os.replace(new, path)


@contextmanager
def staged_file(path: Path, content: bytes) -> Iterator[Path]:
    """Yield a new file beside a path, with the permissions of the file there; an exception removes the new one."""
    mode = path.stat().st_mode & 0o7777 if path.exists() else 0o666 & ~_umask()
    # Its name has a fixed length: the name at the path may be as long as names can be.
    descriptor, name = mkstemp(prefix=".sizewell-", suffix=".new", dir=path.parent)
    new = Path(name)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        new.chmod(mode)
        yield new
    except BaseException:
        with suppress(OSError):
            new.unlink()
        raise


def _umask() -> int:
    mask = os.umask(0o077)
    os.umask(mask)
    return mask
