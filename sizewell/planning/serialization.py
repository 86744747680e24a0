"""plan.json and config.json: the plan, and what it was made from, as text.

Of each choice plan.json has the five best runners-up as they are, of every further one a row, and the names of rows of
``rejections``: there stand, once for all workloads, the types that a filter rejected for the same reason. That is what
a review looks at. ``sizewell explain`` plans anew, and shows the rest.
"""

import re
from collections import Counter
from typing import Any

from pydantic_core import from_json, to_json

from sizewell.config import Sources
from sizewell.config.environment import Environment
from sizewell.instance_selection import EndpointEstimate
from sizewell.instance_selection.results import AnyEstimate, AnySelection
from sizewell.planning.plan import DeploymentPlan
from sizewell.planning.saved_files import CONFIGURATION_VERSION
from sizewell.planning.workload_plan import InstanceWorkloadPlan

#: Runners-up that are written with their whole estimate.
WHOLE_RUNNERS_UP = 5

#: Digits that an estimate is written with: enough to read, few enough that the last bit of a logarithm on another
#: machine does not change the file.
SIGNIFICANT_DIGITS = 6


#: A map or a list of plain values, with the key that it is the value of; an item of a list has none.
_PLAIN = re.compile(
    r'^( *)("[^"\n]*": )?(\{\n(?: *"[^"\n]*": (?![\[{]).*\n)+\1\}|\[\n(?: *(?![\[{ ]).*\n)+?\1\])',
    re.MULTILINE,
)
#: So long is the line of a value of a key at most; an item of a list is always one line.
_LINE = 200


def plan_to_json(plan: DeploymentPlan) -> str:
    """Return the plan as JSON that ends in a newline; numbers have six significant digits or are whole, a row is a line."""
    workloads = tuple(workload.with_each_choice(_without_story) for workload in plan.workloads)
    short = plan.model_copy(update={"workloads": workloads})
    # Without computed sums: read back, they would be the sums of rounded parts, and differ in the last digit.
    document = short.model_dump(mode="json", exclude_computed_fields=True)
    rejections: dict[str, dict[str, str]] = {}
    names: dict[tuple[str, ...], str] = {}
    numbers: Counter[str] = Counter()
    for workload, whole in zip(_with_selection(document), plan.on_instances, strict=True):
        rejected = []
        for row in _rejected_rows(whole.selection):
            content = tuple(row.values())
            if content not in names:
                numbers[row["filter"]] += 1
                names[content] = f"{row['filter']}-{numbers[row['filter']]}"
                rejections[names[content]] = row
            rejected.append(names[content])
        workload["selection"] |= {
            "further_runners_up": _further_rows(whole.selection),
            "rejected": rejected,
        }
    text = to_json(rounded({**document, "rejections": rejections}), indent=2).decode()
    return _PLAIN.sub(_in_one_line, text) + "\n"


def plan_from_json(text: str) -> DeploymentPlan:
    """Return the plan that was written by ``plan_to_json``, without the further runners-up."""
    document = from_json(text)
    rejections = document.pop("rejections")
    for workload in _with_selection(document):
        selection = workload["selection"]
        selection["rejected"] = [
            {"instance_type": name, "filter": row["filter"], "reason": row["reason"]}
            for row in map(rejections.__getitem__, selection["rejected"])
            for name in row["instance_types"].split()
        ]
    return DeploymentPlan.model_validate_json(to_json(document))


def decisions_from_json(text: str) -> DeploymentPlan:
    """Return the plan that was written by ``plan_to_json``, of each choice only what was chosen: quick at any size."""
    document = from_json(text)
    del document["rejections"]
    for workload in _with_selection(document):
        workload["selection"] |= {"runners_up": [], "further_runners_up": {}, "rejected": []}
    return DeploymentPlan.model_validate_json(to_json(document))


def _with_selection(document: dict[str, Any]) -> list[dict[str, Any]]:
    """Return what has a choice, in the order of ``DeploymentPlan.on_instances``."""
    return [
        choice
        for workload in document["workloads"]
        if "selection" in workload
        for choice in (workload, *workload.get("other_variants", ()), workload.get("shadow_variant"))
        if choice is not None
    ]


def _without_story(choice: InstanceWorkloadPlan) -> InstanceWorkloadPlan:
    selection = choice.selection
    few = {"runners_up": selection.runners_up[:WHOLE_RUNNERS_UP], "rejected": ()}
    return choice.model_copy(update={"selection": selection.model_copy(update=few)})


def _further_rows(selection: AnySelection) -> dict[str, Any]:
    """Return what a review shows of a candidate, in columns with the names that it has in an estimate and a cost."""
    rows = [
        {
            "instance_type": candidate.instance_type,
            "usd_per_hour": candidate.cost.usd_per_hour,
            "usd_per_month": candidate.cost.usd_per_month,
            **_outcome(candidate.estimate),
            "measured": bool(candidate.estimate.measured),
        }
        for candidate in selection.runners_up[WHOLE_RUNNERS_UP:]
    ]
    return {"columns": list(rows[0]) if rows else [], "rows": [list(row.values()) for row in rows]}


def _outcome(estimate: AnyEstimate) -> dict[str, Any]:
    if isinstance(estimate, EndpointEstimate):
        return {
            "p95_latency_ms": estimate.p95_latency_ms,
            "instances_at_average": estimate.instances_at_average,
        }
    return {"duration_hours": estimate.duration_hours, "instance_count": estimate.instance_count}


def _rejected_rows(selection: AnySelection) -> list[dict[str, str]]:
    """Return a row for each filter and reason, with all types that it rejected."""
    names: dict[tuple[str, str], list[str]] = {}
    for one in selection.rejected:
        names.setdefault((one.filter, one.reason), []).append(one.instance_type)
    return [
        {"filter": filter_, "reason": reason, "instance_types": " ".join(types)}
        for (filter_, reason), types in names.items()
    ]


def _in_one_line(found: re.Match[str]) -> str:
    indent, key, value = found[1], found[2] or "", found[3]
    first, *members, last = (line.strip(" ") for line in value.split("\n"))
    line = f"{indent}{key}{first}{' '.join(members)}{last}"
    return found[0] if key and len(line) > _LINE else line


def configuration_to_json(environment: Environment, sources: Sources) -> str:
    """Return the merged configuration with all defaults, and where its keys are written, as JSON that ends in a newline.

    Two syntheses of it tell what a change of the files means, whatever the files look like.
    """
    document = {
        "schema_version": CONFIGURATION_VERSION,
        "environment": environment.model_dump(mode="json"),
        "lines": sources.lines(),
    }
    return to_json(document, indent=2).decode() + "\n"


def rounded(value: Any) -> Any:
    """Return plain data with every number at six significant digits, or whole where those are more."""
    if isinstance(value, float):
        return float(
            f"{value:.{SIGNIFICANT_DIGITS}g}" if abs(value) < 10**SIGNIFICANT_DIGITS else f"{value:.0f}"
        )
    if isinstance(value, dict):
        return {key: rounded(item) for key, item in value.items()}
    if isinstance(value, list):
        return [rounded(item) for item in value]
    return value
