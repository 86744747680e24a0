"""The errors of planning: needs that no instance type meets."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class PlanFault:
    """A key of the configuration whose demand cannot be met, why, and what to do about it."""

    key_path: tuple[str, ...]
    reason: str
    hint: str | None = None


class PlanError(Exception):
    """The configuration is valid, but no plan meets it; holds every fault."""

    def __init__(self, faults: tuple[PlanFault, ...]) -> None:
        self.faults = faults
        super().__init__("\n".join(f"{'.'.join(f.key_path)}: {f.reason}" for f in faults))
