"""HTML pages that commands write: one file each, which loads nothing from elsewhere."""

from pathlib import Path
from typing import TYPE_CHECKING

from sizewell.cli.output import echo, write_file

if TYPE_CHECKING:
    from jinja2 import Environment

_TEMPLATES = Path(__file__).with_name("templates")


def page_templates() -> "Environment":
    """Return the templates of pages: they escape every value, and refuse a name that is not given."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    return Environment(
        loader=FileSystemLoader(_TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )


def page_asset(name: str) -> str:
    """Return the text of a style sheet or a script that stands in a page."""
    return (_TEMPLATES / name).read_text("utf-8")


def write_page(path: Path, page: str) -> None:
    """Write a page and say so; raises ``RefusedError``."""
    write_file(path, page)
    echo(f"{path} is written: open it in a browser.")
