"""What the assets of an output hold: their hash is in the templates, their content decides."""

import json
import re
from collections.abc import Iterator, Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any

from sizewell.review.saved.inside import is_inside

#: Hexadecimal digits of a digest: 48 bits.
_DIGITS = 12
#: The digest of a template of a nested stack: it is compared resource by resource.
_TEMPLATE = "template"
_NESTED_TEMPLATE = ".nested.template.json"
_NESTED_MARK = re.compile(r"<asset template ([^<>/]+)>")
#: Templates of stacks are uploaded as well; no template refers to them.
_OWN_TEMPLATE = ".template.json"


def asset_digests(directory: Path, output: Path | None = None) -> dict[str, str]:
    """Return the digest of the content of each asset of an assembly, by its hash; the hash itself where it is not there.

    ``output`` is the whole one that the assembly lies in, if it is not one itself: assemblies of stages name assets beside them.
    What cannot be read, or leads out of the output, counts as not there: the templates say enough.
    """
    digests: dict[str, str] = {}
    for manifest in sorted(directory.glob("*.assets.json")):
        try:
            document = json.loads(manifest.read_bytes())
            sources = {**(document.get("files") or {}), **(document.get("dockerImages") or {})}
            for hash_, asset in sources.items():
                source = asset.get("source") or {}
                name = source.get("path") or source.get("directory")
                if not isinstance(name, str) or not is_inside(directory / name, output or directory):
                    digests[hash_] = hash_[:_DIGITS]
                elif not name.endswith(_OWN_TEMPLATE) or name.endswith(_NESTED_TEMPLATE):
                    digests[hash_] = _digest(directory / name, _settings(source))
        except (ValueError, AttributeError, TypeError, OSError):
            continue
    return digests


def nested_template(text: str) -> str | None:
    """Return the file of the nested template that an address with a marked asset names."""
    found = _NESTED_MARK.search(text)
    return found[1] if found else None


def _settings(source: Mapping[str, Any]) -> str:
    """Return how an asset is built beside its content: arguments, platform and target of an image."""
    settings = {key: value for key, value in source.items() if key not in ("path", "directory", "packaging")}
    return json.dumps(settings, sort_keys=True) if settings else ""


def _digest(path: Path, settings: str) -> str:
    if path.name.endswith(_NESTED_TEMPLATE):
        return f"{_TEMPLATE} {path.name}"
    content = sha256(settings.encode())
    found = False
    for name, file in _files(path):
        found = True
        # As CDK does by default, a link counts as the place that it leads to.
        read = bytes(file.readlink()) if file.is_symlink() else file.read_bytes()
        content.update(name.encode() + b"\0" + sha256(read).digest())
    return content.hexdigest()[:_DIGITS] if found else path.name[-_DIGITS:]


def _files(path: Path) -> Iterator[tuple[str, Path]]:
    if path.is_file():
        yield "", path
    for file in sorted(path.rglob("*")) if path.is_dir() else ():
        if file.is_file() or file.is_symlink():
            yield file.relative_to(path).as_posix(), file
