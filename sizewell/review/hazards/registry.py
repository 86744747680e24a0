"""All rules: those of every module in ``rules/``."""

from collections.abc import Mapping
from importlib import import_module
from pkgutil import iter_modules
from types import MappingProxyType

from sizewell.review.hazards import rules
from sizewell.review.hazards.rule import HazardRule, registered_rules

for _module in iter_modules(rules.__path__):
    import_module(f"{rules.__name__}.{_module.name}")

RULES: tuple[HazardRule, ...] = registered_rules()

#: The name of each rule, and what it finds in one line.
HAZARD_RULES: Mapping[str, str] = MappingProxyType({rule.name: rule.description for rule in RULES})
