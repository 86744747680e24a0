"""Write the Markdown of the documentation site to build/pages: ``python -m tools.site_pages``, which ``make site`` runs first.

What people write (the README, guides, how-tos, decisions) is copied, and its links lead to pages of the site. A link to another
file of the repository leads to a page that shows this file, because the site knows no address of the repository. The gallery,
the commands and the picks are made from the code.
"""

import os
import re
import shutil
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path, PurePosixPath

from sizewell.config.json_schema import MEASUREMENTS_SCHEMA_NAME, SCHEMA_NAME, measurements_schema_text
from sizewell.planning.editor_schema import editor_schema_text
from tools.site_commands import commands_page
from tools.site_gallery import gallery_page
from tools.site_picks import picks_page

ROOT = Path(__file__).resolve().parents[1]
OUTPUT = ROOT / "build" / "pages"
#: What is not below docs/, by its page.
_OUTSIDE_DOCS = {
    "README.md": "overview.md",
    "CONTRIBUTING.md": "contributing.md",
    "CHANGELOG.md": "changelog.md",
}
#: Files of docs/ as they are.
_ASSETS = ("images/*.png", "images/*.svg", "site/*")
_FENCE = re.compile(r"^\s*(`{3,}|~{3,})")
_CODE = re.compile(r"(`+)(?!`).*?(?<!`)\1(?!`)")
_LINK = re.compile(r"\]\(([^)\s]+)\)")
_SCHEMAS = """# JSON Schemas

Of this release; `sizewell schema` prints the first one. [Completion in the
editor](guides/configuration.md#completion-in-the-editor) says how editors use them.

| schema | of |
|---|---|
| [schema.json](schemas/schema.json) | `base.yaml`, and the file of each environment |
| [measurements.schema.json](schemas/measurements.schema.json) | `measurements.yaml` |
| [review.schema.json](schemas/review.schema.json) | what `sizewell review --json` writes |
"""
#: What shows a file of the repository.
_FILE_PAGE = "# {name}\n\n`{path}` of the repository.\n\n{fence}{language}\n{text}{fence}\n"
_LANGUAGES = {".py": "python", ".sh": "bash", ".yaml": "yaml", ".json": "json"}


def written_pages() -> dict[str, Path]:
    """Return the source of each page that people write, by page."""
    docs = ROOT / "docs"
    below_docs = {path.relative_to(docs).as_posix(): path for path in sorted(docs.rglob("*.md"))}
    return below_docs | {page: ROOT / name for name, page in _OUTSIDE_DOCS.items()}


def all_pages() -> dict[str, str]:
    """Return the Markdown of every page; raises ``ValueError`` with all links that lead nowhere."""
    docs = ROOT / "docs"
    written = written_pages()
    texts = {source: source.read_text("utf-8") for source in written.values()}
    texts |= {docs / page: make() for page, make in GENERATED.items()}
    page_of = {source: page for page, source in written.items()} | {docs / page: page for page in GENERATED}
    shown_files: set[Path] = set()
    faults: list[str] = []

    def lead(source: Path, target: str) -> str:
        name, _, anchor = target.partition("#")
        if not name or "://" in target or target.startswith("mailto:"):
            return target
        file = Path(os.path.normpath(source.parent / name))
        if file in page_of:
            page = page_of[file]
        elif not file.is_file() or not file.is_relative_to(ROOT):
            faults.append(f"{source.relative_to(ROOT)}: {target}")
            return target
        elif file.is_relative_to(docs):
            page = file.relative_to(docs).as_posix()
        else:
            shown_files.add(file)
            page = _file_page_name(file)
        here = PurePosixPath(page_of[source]).parent
        return os.path.relpath(page, here) + (f"#{anchor}" if anchor else "")

    pages = {
        page_of[source]: site_markdown(text, partial(lead, source)) if source.suffix == ".md" else text
        for source, text in texts.items()
    }
    if faults:
        raise ValueError("links that lead nowhere:\n" + "\n".join(faults))
    return pages | {_file_page_name(file): _file_page(file) for file in sorted(shown_files)}


def decisions_page() -> str:
    """Return the list of all decisions, the latest first."""
    found = sorted((ROOT / "docs" / "decisions").glob("*.md"), reverse=True)
    rows = "".join(f"| {path.name[:10]} | [{_title(path)}]({path.name}) |\n" for path in found)
    return f"# Decisions\n\nNotes of their day; they are not rewritten later.\n\n| day | decision |\n|---|---|\n{rows}"


def schemas_page() -> str:
    """Return the page that leads to the schemas."""
    return _SCHEMAS


def _title(page: Path) -> str:
    return page.read_text("utf-8").partition("\n")[0].removeprefix("# ")


def site_markdown(text: str, lead: Callable[[str], str]) -> str:
    """Return Markdown as the site's parser reads it, each target of a link replaced by what ``lead`` returns for it.

    The parser follows Python-Markdown (https://python-markdown.github.io/#differences): what belongs to an item of a list is
    indented by four blanks, a block begins after an empty line, and code in a table keeps its backslashes.
    """
    lines: list[str] = []
    fence = ""
    for line in text.splitlines():
        found = _FENCE.match(line)
        if found and (not fence or line.strip() == fence):
            fence = "" if fence else found[1]
        elif not fence:
            line = re.sub(r"^ {2,3}(?=\S)", " " * 4, _with_links(line, lead))
            if line.lstrip().startswith("|"):
                line = _CODE.sub(lambda code: code[0].replace("\\|", "|"), line)
            if lines and lines[-1].startswith("<!--"):
                lines.append("")
        lines.append(line)
    return "\n".join(lines) + "\n"


def _with_links(line: str, lead: Callable[[str], str]) -> str:
    code = [found.span() for found in _CODE.finditer(line)]

    def led(link: re.Match[str]) -> str:
        is_code = any(start <= link.start() and link.end() <= end for start, end in code)
        return link[0] if is_code else f"]({lead(link[1])})"

    return _LINK.sub(led, line)


def _file_page_name(file: Path) -> str:
    return f"files/{file.relative_to(ROOT).as_posix()}.md"


def _file_page(file: Path) -> str:
    text = file.read_text("utf-8")
    return _FILE_PAGE.format(
        name=file.name,
        path=file.relative_to(ROOT).as_posix(),
        fence="````",
        language=_LANGUAGES.get(file.suffix, "text"),
        text=text if text.endswith("\n") else f"{text}\n",
    )


#: By page: what makes it.
GENERATED: dict[str, Callable[[], str]] = {
    "gallery.md": gallery_page,
    "commands.md": commands_page,
    "decisions/index.md": decisions_page,
    "picks.md": picks_page,
    "schemas.md": schemas_page,
    f"schemas/{SCHEMA_NAME}": editor_schema_text,
    f"schemas/{MEASUREMENTS_SCHEMA_NAME}": measurements_schema_text,
    "schemas/review.schema.json": (ROOT / "sizewell" / "review" / "review.schema.json").read_text,
}


def write_pages(output: Path) -> None:
    """Write all pages and what they show into a new directory."""
    shutil.rmtree(output, ignore_errors=True)
    for page, text in all_pages().items():
        path = output / page
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    for pattern in _ASSETS:
        for asset in sorted((ROOT / "docs").glob(pattern)):
            copy = output / asset.relative_to(ROOT / "docs")
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(asset, copy)


if __name__ == "__main__":
    try:
        write_pages(OUTPUT)
    except ValueError as error:
        sys.exit(str(error))
