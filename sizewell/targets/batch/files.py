"""What AWS Batch is given beside the templates: nothing."""

from sizewell.targets.files import FilesKind

FACET = FilesKind(files=lambda _: {})
