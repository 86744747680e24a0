"""A platform in a CDK app: what ``app.py`` of every project calls."""

import gc
import json
import os
import shutil
import sys
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NoReturn

from constructs_lib.jsii_runtime import use_bundled_node
from sizewell.config import ConfigError, environment_names
from sizewell.kinds.registry import facet
from sizewell.kinds.stack_kind import StackKind
from sizewell.planning import (
    DeploymentPlan,
    PlannedEnvironment,
    configuration_to_json,
    load_for_synth,
    plan_to_json,
)
from sizewell.planning.load import LookupNeededError
from sizewell.planning.lock_notes import lock_warnings
from sizewell.planning.offers import offered_elsewhere, offered_types
from sizewell.stacks.kernel import start_kernel
from sizewell.targets.files import MANIFESTS, target_files
from sizewell.whole_files import replace_file

if TYPE_CHECKING:
    from aws_cdk import App

    from sizewell.stacks.endpoint_stack import EndpointStack
    from sizewell.stacks.foundation_stack import FoundationStack
    from sizewell.stacks.training_stack import TrainingStack

DEFAULT_CONFIG = "config"
#: Stack traces of construct creation name lines of the kernel, not of Python: half a second for nothing. The CLI
#: reserves the prefix in cdk.json, hence here.
FAST_CONTEXT = {"aws:cdk:disable-creation-stack-traces": True}


class Platform:
    """The stacks of one environment, planned from its configuration, in an app that may have stacks of its own.

    ``cdk synth -c env=NAME`` names the environment, and ``-c config=DIRECTORY`` another configuration directory than
    ``config``. Where one of them is wrong, the process ends with a message and the code 1. Where the network has to be looked
    up first, it ends as well, and the CDK CLI starts it again.

    Between the constructor and ``synth`` everything is ordinary CDK: add constructs to ``stacks["NAME"]``, change those
    that are there, make stacks in ``app``.
    """

    app: "App"
    environment: str
    plan: DeploymentPlan
    foundation: "FoundationStack"
    foundations: Mapping[str | None, "FoundationStack"]
    """By the name of the place that the configuration gives; None is the place of the policy, ``foundation``."""
    endpoints: Mapping[str, "EndpointStack"]
    """The stack of each endpoint on instances, by the name of its workload."""
    training_jobs: Mapping[str, "TrainingStack"]
    """The stack of each training job, by the name of its workload."""
    stacks: Mapping[str, Any]
    """The stack of each workload of any kind, by its name."""

    def __init__(self) -> None:
        context = _read_context()
        directory = Path(context.get("config") or DEFAULT_CONFIG)
        name = context.get("env")
        if name is None:
            names = "|".join(environment_names(directory)) or "NAME"
            sys.exit(f"say which environment: cdk synth -c env={names}")
        # A plan is a large tree without cycles that lives until the end: searching it for garbage finds nothing, slowly.
        gc.disable()
        use_bundled_node()
        kernel = start_kernel()
        try:
            planned = load_or_exit(directory, name, context)
        except LookupNeededError as error:
            kernel.result()
            _ask_or_exit(error)
        except SystemExit:
            kernel.cancel()
            raise
        self.environment, self.plan = name, planned.plan
        self._planned = planned
        from aws_cdk import App

        from sizewell.stacks.platform import add_stacks

        kernel.result()
        self.app = App(analytics_reporting=False, context=FAST_CONTEXT)
        added = add_stacks(self.app, self.plan)
        self.foundation = added.foundations[None]
        self.foundations = MappingProxyType(added.foundations)
        self.stacks = MappingProxyType(added.of_workloads)
        groups = {workload.name: facet(workload.kind, StackKind).group for workload in self.plan.workloads}
        self.endpoints, self.training_jobs = (
            MappingProxyType({name: stack for name, stack in self.stacks.items() if groups[name] == group})
            for group in ("endpoints", "training_jobs")
        )

    def synth(self) -> Path:
        """Write the templates, and plan.json and config.json beside them; return the directory.

        Every template of the app must pass the rule packs of the environment and our own checks. A finding that is not
        acknowledged ends the process with the code 1.
        """
        from sizewell.stacks.guards import add_guards
        from sizewell.stacks.network_lookup import remove_question

        add_guards(
            self.app,
            self.plan.nag_packs,
            offered_types(self.plan.region, self._planned.refreshed),
            offered_elsewhere(self.plan, self._planned.refreshed),
        )
        try:
            # The kernel works alone for seconds: time to write a plan of many megabytes.
            with ThreadPoolExecutor(max_workers=1) as executor:
                plan_json = executor.submit(plan_to_json, self.plan)
                assembly = self.app.synth()
        except RuntimeError as error:
            # The kernel wraps every error in this class. CDK has printed the findings already.
            if "ValidationFailed" not in str(error):
                raise
            sys.exit("synth stopped: mend the findings, or acknowledge them where they arise, with a reason")
        directory = Path(assembly.directory)
        remove_question(directory)
        replace_file(directory / "plan.json", plan_json.result().encode())
        # ``sizewell review`` tells from it what a change means.
        configuration = configuration_to_json(self._planned.environment, self._planned.sources)
        replace_file(directory / "config.json", configuration.encode())
        _write_manifests(directory, self.plan)
        return directory


def _write_manifests(directory: Path, plan: DeploymentPlan) -> None:
    """Write what the targets of a plan have beside the templates; nothing of another plan stays."""
    shutil.rmtree(directory / MANIFESTS, ignore_errors=True)
    for path, text in target_files(plan).items():
        file = directory / path
        file.parent.mkdir(parents=True, exist_ok=True)
        replace_file(file, text.encode())
        if file.suffix == ".sh":
            file.chmod(0o755)


def load_or_exit(directory: Path, environment: str, context: Mapping[str, Any]) -> PlannedEnvironment:
    """Return what an environment is synthesized from; warn where the lock does not hold, exit with every fault.

    Raises ``LookupNeededError`` where the network has not been looked up, and nothing else is wrong.
    """
    try:
        planned = load_for_synth(directory, environment, context)
    except LookupNeededError:
        raise
    except ConfigError as error:
        sys.exit(error.render())
    for warning in lock_warnings(planned.plan):
        print(warning, file=sys.stderr)
    return planned


def _ask_or_exit(error: LookupNeededError) -> NoReturn:
    """Let the CDK CLI look the network up, which starts the app again; exit with the fault where the CLI is not there."""
    if "CDK_CLI_VERSION" not in os.environ:
        sys.exit(error.render())
    from sizewell.stacks.network_lookup import ask_for_network

    ask_for_network(error.lookup, FAST_CONTEXT)
    sys.exit()


def _read_context() -> dict[str, Any]:
    """Return the context, which the CDK CLI passes as JSON before the kernel runs; what is too long for that, in a file."""
    context: dict[str, Any] = json.loads(os.environ.get("CDK_CONTEXT_JSON", "{}"))
    if (overflow := os.environ.get("CONTEXT_OVERFLOW_LOCATION_ENV")) is not None:
        context |= json.loads(Path(overflow).read_text("utf-8"))
    return context
