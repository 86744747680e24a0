"""What is written beside the templates: nothing, a template has all of a service of ECS."""

from sizewell.targets.files import FilesKind

FACET = FilesKind(files=lambda _: {})
