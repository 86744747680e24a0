"""Reading the files of a configuration: regular files of a bounded size, in UTF-8."""

from pathlib import Path

from sizewell.config.faults import ConfigError, Fault

#: Beyond any configuration that people write: three hundred workloads fill two fifths of it.
MAX_FILE_BYTES = 2**20


def is_there(path: Path) -> bool:
    """Return whether there is a file, or a broken link, which is reported when it is read."""
    return path.exists() or path.is_symlink()


def read_text(path: Path, shown_as: str, max_bytes: int = MAX_FILE_BYTES) -> str:
    """Return the text of a file, without the mark of its byte order; ``shown_as`` is its name in messages.

    Raises:
        ConfigError: It is absent, no regular file, too large, or not UTF-8.
    """
    try:
        # Not opened before it is known to be a file: a pipe blocks, and a device may never end.
        if path.exists() and not path.is_file():
            kind = "a directory" if path.is_dir() else "a pipe or a device"
            raise _error(shown_as, f"this is {kind}, not a file")
        with path.open("rb") as file:
            content = file.read(max_bytes + 1)
    except OSError as error:
        hint = f"it is a link to {path.readlink()}" if path.is_symlink() else None
        raise _error(shown_as, f"the file cannot be read: {error.strerror}", hint=hint) from None
    if len(content) > max_bytes:
        raise _error(shown_as, f"the file is larger than {max_bytes // 2**20} MiB")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        message = f"the byte at offset {error.start} is not UTF-8"
        raise _error(shown_as, message, line=line, hint="save the file as UTF-8") from None


def _error(shown_as: str, message: str, *, line: int | None = None, hint: str | None = None) -> ConfigError:
    return ConfigError([Fault(shown_as, line, None, (), None, message, hint=hint)])
