"""What is said of a Lambda function."""

from rich.console import Console

from sizewell.cli.kind import Row, ViewKind
from sizewell.cli.on_demand_view import on_demand_row, print_on_demand
from sizewell.kinds.lambda_function.plan_model import LambdaFunctionPlan


def _row(plan: LambdaFunctionPlan) -> Row:
    return on_demand_row(plan, f"lambda {plan.architecture}")


def _show(plan: LambdaFunctionPlan, console: Console) -> None:
    print_on_demand(plan, f"lambda {plan.architecture}", console)


FACET = ViewKind(row=_row, show=_show)
