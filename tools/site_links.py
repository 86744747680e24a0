"""Check the built site: ``python -m tools.site_links site`` names every link and anchor that leads nowhere, and exits with 1.

The site must also send nothing: no page may load a script, a style, a font or an image from elsewhere.
"""

import os
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

#: By element: the attribute with what the browser loads by itself.
_LOADED = {
    "script": "src",
    "img": "src",
    "link": "href",
    "iframe": "src",
    "source": "src",
    "video": "src",
    "audio": "src",
}


class Page(HTMLParser):
    """What one page defines, leads to and loads."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.anchors: set[str] = set()
        self.links: list[str] = []
        self.loaded: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Collect anchors and addresses of one element."""
        found = {name: value for name, value in attrs if value is not None}
        self.anchors |= {found[name] for name in ("id", "name") if name in found}
        if tag == "a" and "href" in found:
            self.links.append(found["href"])
        if tag in _LOADED and _LOADED[tag] in found:
            self.loaded.append(found[_LOADED[tag]])


def faults(site: Path) -> list[str]:
    """Return a line for each link to a missing page or anchor, and for each thing that a page loads from elsewhere."""
    pages = {path: Page(path.read_text("utf-8")) for path in sorted(site.rglob("*.html"))}
    # Whatever address was asked for, a server answers with this page: its links are absolute.
    pages.pop(site / "404.html", None)
    found = []
    for path, page in pages.items():
        name = path.relative_to(site).as_posix()
        found += [
            f"{name} loads {address} from elsewhere" for address in page.loaded if _is_elsewhere(address)
        ]
        for address in [*page.links, *filter(lambda address: not _is_elsewhere(address), page.loaded)]:
            if address.startswith("data:") or (address in page.links and _is_elsewhere(address)):
                continue
            missing = _missing(path, address, pages)
            if missing:
                found.append(f"{name}: {address}: {missing}")
    return found


def _is_elsewhere(address: str) -> bool:
    parts = urlsplit(address)
    return bool(parts.netloc) or parts.scheme in ("http", "https", "mailto")


def _missing(path: Path, address: str, pages: dict[Path, Page]) -> str | None:
    parts = urlsplit(address)
    target = Path(os.path.normpath(path.parent / unquote(parts.path))) if parts.path else path
    if target.is_dir():
        target /= "index.html"
    if not target.is_file():
        return "there is no such file"
    if parts.fragment and target in pages and unquote(parts.fragment) not in pages[target].anchors:
        return "there is no such anchor"
    return None


if __name__ == "__main__":
    found = faults(Path(sys.argv[1]))
    print("\n".join(found) if found else "Every link leads somewhere, and nothing is loaded from elsewhere.")
    sys.exit(bool(found))
