"""Synthesize many configurations in one process: ``python -m tools.benchmarks.review_cases.synth ENV OUT=CONFIG ...``.

Without the guards, which change nothing in a template and take most of the time. A stack of which a plan says the same as the
first one is that of the first output.
"""

import json
import shutil
import sys
from pathlib import Path

from constructs_lib.jsii_runtime import use_bundled_node
from sizewell.dashboards.body import body_of
from sizewell.dashboards.environment import dashboard_of
from sizewell.planning import DeploymentPlan, configuration_to_json, load_for_synth, plan_to_json

PROJECT_DIRECTORY = Path(__file__).parents[3]


def main(environment: str, *pairs: str) -> None:
    """Synthesize one environment of each configuration."""
    use_bundled_node()
    from aws_cdk import App

    from sizewell.stacks.platform import add_stacks

    context = json.loads((PROJECT_DIRECTORY / "cdk.json").read_text("utf-8"))["context"]
    context |= {"aws:cdk:disable-creation-stack-traces": True, "aws:cdk:enable-path-metadata": True}
    first: tuple[Path, DeploymentPlan] | None = None
    for pair in pairs:
        name, _, directory = pair.partition("=")
        output = Path(name)
        planned = load_for_synth(Path(directory), environment)
        new = planned.plan if first is None else _without_the_same_workloads(planned.plan, first[1])
        if first is not None and not new.workloads and new.foundation == first[1].foundation:
            shutil.copytree(first[0], output)
        else:
            app = App(
                analytics_reporting=False,
                builtin_cloud_formation_validation=False,
                outdir=name,
                context=context,
            )
            add_stacks(app, new)
            app.synth()
        if first is None:
            first = output, planned.plan
        else:
            _copy_what_is_the_same(planned.plan, output, first[0])
            _draw_all(planned.plan, output)
        (output / "plan.json").write_text(plan_to_json(planned.plan), "utf-8")
        configuration = configuration_to_json(planned.environment, planned.sources)
        (output / "config.json").write_text(configuration, "utf-8")


def _without_the_same_workloads(plan: DeploymentPlan, first: DeploymentPlan) -> DeploymentPlan:
    """Return a plan without the workloads that another one has too: a stack says what the plan says, and no more."""
    if plan.foundation != first.foundation:
        return plan
    return plan.model_copy(
        update={
            "workloads": tuple(workload for workload in plan.workloads if workload not in first.workloads)
        }
    )


def _copy_what_is_the_same(plan: DeploymentPlan, output: Path, first: Path) -> None:
    """Complete an output by the stacks of the first one that were left out."""
    manifest, others = (
        json.loads((directory / "manifest.json").read_text("utf-8")) for directory in (output, first)
    )
    left_out = {workload.stack_name for workload in plan.workloads} - manifest["artifacts"].keys()
    for name, artifact in others["artifacts"].items():
        if name.removesuffix(".assets") in left_out:
            manifest["artifacts"][name] = artifact
    (output / "manifest.json").write_text(json.dumps(manifest), "utf-8")
    for path in first.iterdir():
        if path.name.partition(".")[0] in left_out:
            shutil.copy(path, output)


def _draw_all(plan: DeploymentPlan, output: Path) -> None:
    """Let the dashboard show all workloads, also those whose stacks were left out."""
    path = output / f"{plan.foundation.stack_name}.template.json"
    template = json.loads(path.read_text("utf-8"))
    dashboard = dashboard_of(plan, plan.foundation)
    for resource in template["Resources"].values():
        if resource["Type"] == "AWS::CloudWatch::Dashboard" and dashboard is not None:
            resource["Properties"]["DashboardBody"] = body_of(dashboard)
    path.write_text(json.dumps(template), "utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
