"""A pipeline has no rules here: ``sizewell.config.pipeline_rules`` checks it together with its jobs, in all places."""

from sizewell.config.kind import ConfigKind

FACET = ConfigKind(rules=lambda *_: iter(()))
