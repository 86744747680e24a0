"""The page of the site that shows what becomes of every example: needs, pick and why, monthly bill, resources.

The needs are the example's YAML, the pick and the bill its plan. The numbers of resources are those that the tests of the
examples have found in the templates: the page is made without the kernel of CDK.
"""

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path, PurePosixPath

import yaml
from rich.console import Console
from rich.text import Text

from sizewell.cli.explain_words import cheaper_line, decision_line, facts, front_line, warnings
from sizewell.cli.explanation import explain_workload
from sizewell.cli.formats import usd
from sizewell.cli.kind import Row, ViewKind
from sizewell.kinds.registry import facet
from sizewell.planning.bill_plan import BillLine
from sizewell.planning.load import PlanInputs, load_inputs
from sizewell.planning.plan import DeploymentPlan
from sizewell.planning.workload_plan import InstanceWorkloadPlan, WorkloadPlan
from sizewell.targets.files import target_files

ROOT = Path(__file__).resolve().parents[1]
EXAMPLES = ROOT / "examples"
#: What the tests of the examples have counted in the templates; make snapshots writes it.
COUNTS = ROOT / "tests" / "examples" / "__snapshots__" / "test_examples"
_HEAD = """# Gallery of workloads

What Sizewell makes of each example of the repository: what the configuration states, what is picked and why, what it costs by
month, and which resources the template has. Every build of this page makes it from the code: a price is that of the catalog.
Costs are at average load.

"""
#: Of the page's tables, the names of the columns.
_PICKS = "| workload | kind | runs on | count | predicted | USD per month |\n|---|---|---|---|---|--:|\n"
_BILL = "| service | paid for | USD per month | price | whatever the load |\n|---|---|--:|---|---|\n"
_RESOURCES = "| resource | number |\n|---|--:|\n"
_OBJECTS = "| object of Kubernetes | number |\n|---|--:|\n"
#: Wide enough that no sentence is broken: a browser breaks them.
_WIDTH = 1000


def shown_environment(example: str) -> str:
    """Return the environment of an example that is shown: production, but of a notebook development, where it is allowed."""
    return "dev" if example == "notebook" else "prod"


def gallery_page() -> str:
    """Return the page; raises ``ConfigError`` where an example is none."""
    examples = sorted(path.parent.name for path in EXAMPLES.glob("*/config"))
    # The one with many workloads comes last: it repeats the kinds that the others show one by one.
    examples.sort(key=lambda example: example == "gallery")
    return _HEAD + "\n".join(_example(example) for example in examples)


def _example(example: str) -> str:
    environment = shown_environment(example)
    inputs = load_inputs(EXAMPLES / example / "config", environment)
    plan = inputs.plan(None)
    counts: dict[str, dict[str, int]] = json.loads(
        (COUNTS / f"test_an_example_synthesizes_clean[{example}-{environment}].json").read_text("utf-8")
    )
    base, own = (
        (EXAMPLES / example / "config" / f"{name}.yaml").read_text("utf-8") for name in ("base", environment)
    )
    files = target_files(plan)
    cards = "\n".join(
        _card(workload, line, inputs, _stated(workload.name, environment, base, own))
        + _resources(counts[workload.stack_name])
        + _objects(files, workload.name)
        for workload, line in zip(plan.workloads, plan.bill.lines, strict=False)
    )
    return (
        f"## {_title(example)}\n\n{about(base)}\n\nThe files: [base.yaml](../examples/{example}/config/base.yaml), "
        f"[{environment}.yaml](../examples/{example}/config/{environment}.yaml). Shown is {environment}.\n\n"
        f"{_picks(plan)}\n{cards}\n{_foundation(plan, counts)}"
    )


def _title(example: str) -> str:
    if example == "gallery":
        return "All together"
    place, _, what = example.partition("-")
    if place in ("ecs", "eks"):
        return f"{_words(what).capitalize()} in Amazon {place.upper()}"
    return _words(example).capitalize()


def _words(kind: str) -> str:
    """Return the name of a kind as words; two of them have a hyphen in English, too."""
    return re.sub(r"-(?!time\b|model\b)", " ", kind)


def about(base: str) -> str:
    """Return the comment at the head of a configuration, without the line for editors."""
    comment = "\n".join(line for line in base.partition("\n\n")[0].splitlines() if line.startswith("#"))
    lines = [line.removeprefix("#").strip() for line in comment.splitlines() if "$schema=" not in line]
    return " ".join(filter(None, lines))


def _picks(plan: DeploymentPlan) -> str:
    rows = []
    for workload, line in zip(plan.workloads, plan.bill.lines, strict=False):
        for part in workload.variants:
            row = facet(part.kind, ViewKind).row(part)
            cost = usd(line.usd_per_month) if part is workload else ""
            cells = (
                f"`{part.name}`",
                _words(part.kind),
                row.on,
                row.count,
                _predicted(row),
                cost,
            )
            rows.append(f"| {' | '.join(map(_plain, cells))} |\n")
    rest = plan.bill.lines[len(plan.workloads) :]
    rows += [f"| {line.workload} | | | | | {usd(line.usd_per_month)} |\n" for line in rest]
    return _PICKS + "".join(rows) + f"| **total** | | | | | **{usd(plan.bill.usd_per_month)}** |\n"


def _predicted(row: Row) -> str:
    return f"{row.predicted} ({row.range})" if row.range else row.predicted


def _card(workload: WorkloadPlan, line: BillLine, inputs: PlanInputs, stated: str) -> str:
    row = facet(workload.kind, ViewKind).row(workload)
    described = f"{workload.description}. " if workload.description else ""
    runs = ", ".join(filter(None, (f"**{_plain(row.on)}**" if row.on else "", _plain(row.count))))
    return (
        f"### {workload.name}\n\n{described}{runs}: {usd(line.usd_per_month)} USD per month.\n\n"
        + _folded("What the configuration states", f"```yaml\n{stated}```")
        + _folded(
            "What is picked, and why", "\n".join(f"* {_plain(line)}" for line in _why(workload, inputs))
        )
        + _bill(line)
    )


def _stated(workload: str, environment: str, base: str, own: str) -> str:
    """Return what both files state of a workload; raises ``ValueError`` where none does."""
    blocks = [(name, needs(workload, text)) for name, text in (("base", base), (environment, own))]
    found = [f"# {name}.yaml\n{block}" for name, block in blocks if block]
    if not found:
        raise ValueError(f"no file has the workload {workload}")
    return "\n".join(found)


def needs(workload: str, text: str) -> str:
    """Return the lines of a workload in a file of a configuration, with the comment above; empty where it has none."""
    block = re.compile(rf"^((?:  #.*\n)*  {re.escape(workload)}:.*\n(?:(?:    .*)?\n)*)", re.MULTILINE)
    found = block.search(f"{text}\n")
    return re.sub(r"^  ", "", found[1].rstrip() + "\n", flags=re.MULTILINE) if found else ""


def _why(workload: WorkloadPlan, inputs: PlanInputs) -> Iterator[str]:
    for part in workload.variants:
        before = "" if part is workload else f"{part.name}: "
        yield from (f"{before}{line}" for line in _why_of(part, inputs))


def _why_of(workload: WorkloadPlan, inputs: PlanInputs) -> list[str]:
    """Return the sentences of ``sizewell explain``."""
    if not isinstance(workload, InstanceWorkloadPlan):
        show = facet(workload.kind, ViewKind).show
        assert show is not None, f"no instance type of a {workload.kind} is chosen"
        console = Console(width=_WIDTH, highlight=False, emoji=False, color_system=None)
        with console.capture() as captured:
            show(workload, console)
        return [line.strip() for line in _before_tables(captured.get()).splitlines() if line.strip()]
    explanation = explain_workload(workload, inputs)
    asked = explanation.asked
    lines = [
        decision_line(explanation),
        cheaper_line(explanation),
        front_line(explanation),
        *facts(explanation),
    ]
    return [*filter(None, [*lines, asked.without_capacity]), *warnings(explanation)]


def _before_tables(text: str) -> str:
    """Return what is printed before the first table: a line of strokes follows its head and its title."""
    lines = text.splitlines()
    strokes = next((number for number, line in enumerate(lines) if set(line.strip()) == {"─"}), None)
    return text if strokes is None else "\n".join(lines[: max(strokes - 3, 0)])


def _bill(line: BillLine) -> str:
    rows = "".join(
        f"| {item.service} | {_plain(item.name)} | {usd(item.usd_per_month)} | {item.basis} | {_yes(item.is_fixed)} |\n"
        for item in line.items
    )
    by_use = f"\nPaid by use, without an amount: {', '.join(line.paid_by_use)}." if line.paid_by_use else ""
    return _folded(f"Monthly bill: {usd(line.usd_per_month)} USD", f"{_BILL}{rows}{by_use}")


def _yes(holds: bool) -> str:
    return "yes" if holds else ""


def _resources(counts: Mapping[str, int]) -> str:
    return _folded(f"Template: {sum(counts.values())} resources", _RESOURCES + _count_rows(counts))


def _objects(files: Mapping[PurePosixPath, str], workload: str) -> str:
    """Return what is written for a cluster of Amazon EKS beside the template; nothing for all other workloads."""
    texts = (text for path, text in files.items() if path.suffix == ".yaml" and path.parent.name == workload)
    kinds = [document["kind"] for text in texts for document in yaml.safe_load_all(text)]
    counts = Counter(kind for kind in kinds if kind != "Kustomization")
    if not counts:
        return ""
    return _folded(f"Manifests: {counts.total()} objects", _OBJECTS + _count_rows(counts))


def _count_rows(counts: Mapping[str, int]) -> str:
    ordered = sorted(counts.items(), key=lambda count: (-count[1], count[0]))
    return "".join(f"| `{kind}` | {number} |\n" for kind, number in ordered)


def _foundation(plan: DeploymentPlan, counts: Mapping[str, Mapping[str, int]]) -> str:
    line = plan.bill.lines[len(plan.workloads)]
    own = counts[plan.foundation.stack_name]
    words = f"The foundation that they share has {sum(own.values())} resources."
    return f"{words}\n\n{_bill(line)}{_resources(own)}"


def _folded(title: str, text: str) -> str:
    """Return a block that a click opens."""
    body = "\n".join(f"    {line}".rstrip() for line in text.splitlines())
    return f'??? info "{title}"\n\n{body}\n\n'


def _plain(words: str) -> str:
    """Return text without the marks of the terminal, and without signs that Markdown reads."""
    return Text.from_markup(words).plain.replace("|", "\\|").replace("<", "&lt;").replace("*", "\\*")
