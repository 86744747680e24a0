"""What was decided for a workload that runs on no instance type of its own."""

import json

from sizewell.cli.console import open_console
from sizewell.cli.errors import exit_with
from sizewell.cli.on_demand_view import print_on_demand
from sizewell.cli.output import echo
from sizewell.cli.pipeline_view import print_pipeline
from sizewell.planning.on_demand_plan_model import OnDemandPlan
from sizewell.planning.pipeline_plan_model import PipelinePlan
from sizewell.planning.serialization import rounded


def tell_decided(workload: OnDemandPlan | PipelinePlan, *, as_json: bool, html: bool) -> None:
    """Print what was decided and why; as JSON, its plan. Ends the command where a page is asked for."""
    if html:
        exit_with(f"{workload.name} is a {workload.kind}: there is no page of it; explain it without --html")
    if as_json:
        document = rounded(workload.model_dump(mode="json"))
        echo(json.dumps(document, indent=2, sort_keys=True) + "\n", newline=False)
        return
    with open_console() as console:
        if isinstance(workload, PipelinePlan):
            print_pipeline(workload, console)
        else:
            print_on_demand(workload, console)
