"""What is said of a serverless endpoint."""

from rich.console import Console

from sizewell.cli.kind import Row, ViewKind
from sizewell.cli.on_demand_view import on_demand_row, print_on_demand
from sizewell.kinds.serverless_endpoint.plan_model import ServerlessEndpointPlan


def _row(plan: ServerlessEndpointPlan) -> Row:
    return on_demand_row(plan, "serverless")


def _show(plan: ServerlessEndpointPlan, console: Console) -> None:
    print_on_demand(plan, "serverless", console)


FACET = ViewKind(row=_row, show=_show)
