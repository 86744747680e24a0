"""What is known of a template before it is deployed: then a reference is as good as its value."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from sizewell.facts.regions import partition_of, url_suffix_of

_LISTS = ("CommaDelimitedList", "List<")


@dataclass(frozen=True)
class Place:
    """Where a template is deployed, as far as the app says, and what its own sections say."""

    account: str | None = None
    region: str | None = None
    parameters: Mapping[str, Any] = field(default_factory=dict)
    """The section of the template: what has a default has that value, unless somebody gives another one."""
    mappings: Mapping[str, Any] = field(default_factory=dict)
    conditions: Mapping[str, Any] = field(default_factory=dict)

    @cached_property
    def texts(self) -> Mapping[str, str]:
        """Pseudo parameters and parameters whose value is known, by name."""
        return {**self._pseudo_parameters, **{name: value for name, value, _ in self._defaults}}

    @cached_property
    def lists(self) -> Mapping[str, list[str]]:
        """Parameters that are lists, and whose value is known."""
        return {name: value.split(",") for name, value, is_list in self._defaults if is_list}

    def mapped(self, names: Any) -> Any:
        """Return what ``Fn::FindInMap`` finds by literal names; None where that is not known."""
        found: Any = self.mappings
        if not isinstance(names, list) or len(names) != 3:
            return None
        for name in names:
            if not isinstance(name, str) or not isinstance(found, Mapping) or name not in found:
                return None
            found = found[name]
        return found

    @cached_property
    def _pseudo_parameters(self) -> Mapping[str, str]:
        known: dict[str, str] = {}
        if self.account:
            known["AWS::AccountId"] = self.account
        if self.region:
            known["AWS::Region"] = self.region
            known["AWS::URLSuffix"] = url_suffix_of(self.region)
            known["AWS::Partition"] = partition_of(self.region)
        return known

    @cached_property
    def _defaults(self) -> tuple[tuple[str, str, bool], ...]:
        """Name, value, and whether it is a list; what SSM or a person says at deployment is not known."""
        found = []
        for name, parameter in self.parameters.items():
            if not isinstance(parameter, Mapping) or str(parameter.get("NoEcho", "")).lower() == "true":
                continue
            kind, default = str(parameter.get("Type", "")), parameter.get("Default")
            if isinstance(default, str | int | float) and not kind.startswith("AWS::SSM::"):
                text = str(default).lower() if isinstance(default, bool) else str(default)
                found.append((name, text, kind.startswith(_LISTS)))
        return tuple(found)
