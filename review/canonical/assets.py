"""Hashes of assets in names: they say that something changed, and never what."""

import re
from collections.abc import Mapping

#: A SHA-256 in hexadecimal, which CDK puts into the names of files and images that it uploads.
_HASH = re.compile(r"(?<![0-9a-f])[0-9a-f]{64}(?![0-9a-f])")
_HIDDEN = re.compile(r"<asset [^<>]*>")


def mark_assets(text: str, digests: Mapping[str, str]) -> str:
    """Return a text with ``<asset DIGEST>`` in the place of each hash that has a digest of its content."""

    def replacement(found: re.Match[str]) -> str:
        digest = digests.get(found[0])
        return found[0] if digest is None else f"<asset {digest}>"

    return _HASH.sub(replacement, text) if digests else text


def hide_assets(text: str) -> str:
    """Return a text to show: where an asset is meant, and not which content it has."""
    return _HIDDEN.sub("<asset>", text)
