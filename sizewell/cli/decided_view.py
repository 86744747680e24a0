"""What was decided for a workload that runs on no instance type of its own."""

import json

from sizewell.cli.console import open_console
from sizewell.cli.errors import exit_with
from sizewell.cli.kind import ViewKind
from sizewell.cli.output import echo
from sizewell.kinds.registry import facet
from sizewell.planning.serialization import rounded
from sizewell.planning.workload_plan import WorkloadPlan


def print_decided(workload: WorkloadPlan, *, as_json: bool, html: bool) -> None:
    """Print what was decided and why; as JSON, its plan. Ends the command where a page is asked for."""
    if html:
        exit_with(f"{workload.name} is a {workload.kind}: there is no page of it; explain it without --html")
    if as_json:
        document = rounded(workload.model_dump(mode="json"))
        echo(json.dumps(document, indent=2, sort_keys=True) + "\n", newline=False)
        return
    show = facet(workload.kind, ViewKind).show
    assert show is not None, f"no instance type of a {workload.kind} is chosen"
    with open_console() as console:
        show(workload, console)
