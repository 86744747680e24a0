"""What a dashboard needs to know of a kind of workload: its section."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

from sizewell.dashboards.graph import Section
from sizewell.planning.foundation_plan_model import FoundationPlan


@dataclass(frozen=True, kw_only=True)
class DashboardKind:
    """How a kind is watched."""

    module: ClassVar[str] = "dashboard"

    section: Callable[[Any, FoundationPlan], Section]
    """Returns what people see of a plan in the account and region of its foundation."""
