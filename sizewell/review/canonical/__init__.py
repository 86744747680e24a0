"""One spelling for what CloudFormation reads alike, so that order, spelling and asset hashes never look like changes.

Canonical data are maps, lists and texts. Intrinsic functions that give a text are written as in ``Fn::Sub``:
``arn:aws:s3:::${Bucket}/models``, ``${Role.Arn}``; a ``${`` that means itself is ``${!``. Numbers and truth values are
texts (CloudFormation takes either); ``sizewell.checks.literals`` reads them. JSON in a text is data of its own, with types.
"""

from sizewell.review.canonical.assets import hide_assets, mark_assets
from sizewell.review.canonical.place import Place
from sizewell.review.canonical.references import Reference, mentioned_names, references_in
from sizewell.review.canonical.template import (
    canonical_resource,
    canonical_sections,
    canonical_value,
    condition_holds,
    place_of,
    resource_bodies,
)

__all__ = [
    "Place",
    "Reference",
    "canonical_resource",
    "canonical_sections",
    "canonical_value",
    "condition_holds",
    "hide_assets",
    "mark_assets",
    "mentioned_names",
    "place_of",
    "references_in",
    "resource_bodies",
]
