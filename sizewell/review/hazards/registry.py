"""All rules: those of every module in ``rules/``."""

from collections.abc import Mapping
from types import MappingProxyType

from sizewell.modules import modules_in
from sizewell.review.hazards import rules
from sizewell.review.hazards.rule import HazardRule, registered_rules

modules_in(rules)
RULES: tuple[HazardRule, ...] = registered_rules()

#: The theme of the rules that say what the tables of consequences say.
OF_TABLES = "consequences"

#: The name of each rule, and what it finds in one line.
HAZARD_RULES: Mapping[str, str] = MappingProxyType({rule.name: rule.description for rule in RULES})
