"""Hashes of assets in names: they say that something changed, and never what."""

import re
from collections.abc import Mapping

_HIDDEN = re.compile(r"<asset [^<>]*>")


def mark_assets(text: str, digests: Mapping[str, str]) -> str:
    """Return a text with ``<asset DIGEST>`` in the place of each hash that has a digest of its content."""
    for hash_, digest in digests.items():
        if hash_ in text:
            text = text.replace(hash_, f"<asset {digest}>")
    return text


def hide_assets(text: str) -> str:
    """Return a text to show: where an asset is meant, and not which content it has."""
    return _HIDDEN.sub("<asset>", text)
