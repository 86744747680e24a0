"""Requests for training and tuning jobs, mostly inside state machines, where validators take them for any text.

The whole request stands in a task, or is what ``AWS::SageMaker::TrainingJob`` has:
https://docs.aws.amazon.com/sagemaker/latest/APIReference/API_CreateTrainingJob.html, and what
https://docs.aws.amazon.com/sagemaker/latest/APIReference/API_HyperParameterTrainingJobDefinition.html has of it
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from sizewell.checks.rule import Finding, Rule
from sizewell.checks.state_language import definitions
from sizewell.facts.training_jobs import KEEP_ALIVE_BOUNDS_S, RETRY_ATTEMPT_BOUNDS, RUNTIME_BOUNDS_S
from sizewell.templates.template import Resource, Template
from sizewell.templates.values import (
    flag,
    is_intrinsic,
    is_open,
    mapping,
    maps,
    number,
    show,
    text,
    with_placeholders,
)

CHECKPOINT, WAIT, EXCLUDES, LIMITS = (
    "training-spot-checkpoint",
    "training-spot-wait",
    "training-spot-excludes",
    "training-limits",
)
RULES: tuple[Rule, ...] = (
    Rule(
        CHECKPOINT,
        "a training request for Spot without `CheckpointConfig`",
        "An interrupted job starts again from zero. [Managed Spot training]("
        "https://docs.aws.amazon.com/sagemaker/latest/dg/model-managed-spot-training.html)",
    ),
    Rule(
        WAIT,
        "a longest wait below the longest run, missing with Spot, or given without",
        "[StoppingCondition]("
        "https://docs.aws.amazon.com/sagemaker/latest/APIReference/API_StoppingCondition.html)",
    ),
    Rule(
        EXCLUDES,
        "Spot with a warm pool or with `InstancePreferences`",
        "[ResourceConfig](https://docs.aws.amazon.com/sagemaker/latest/APIReference/API_ResourceConfig.html)",
    ),
    Rule(
        LIMITS,
        "retries outside 1 to 30, a run outside 1 s to 28 days, a warm pool outside 0 to 21600 s",
        "[CreateTrainingJob]("
        "https://docs.aws.amazon.com/sagemaker/latest/APIReference/API_CreateTrainingJob.html)",
    ),
)

TRAINING_JOB = "AWS::SageMaker::TrainingJob"
_TASK = re.compile(r".*:states:::(aws-sdk:)?sagemaker:create(TrainingJob|HyperParameterTuningJob)(\.sync)?")
_LIMITS = {
    ("ResourceConfig", "KeepAlivePeriodInSeconds"): KEEP_ALIVE_BOUNDS_S,
    ("RetryStrategy", "MaximumRetryAttempts"): RETRY_ATTEMPT_BOUNDS,
    ("StoppingCondition", "MaxRuntimeInSeconds"): RUNTIME_BOUNDS_S,
}


@dataclass(frozen=True, slots=True)
class TrainingRequest:
    """The body of a request and where it stands: in a state machine, or as a resource of its own."""

    resource: Resource
    path: str
    body: Mapping[str, Any]

    def member(self, *keys: str) -> Any:
        """Return a value of the body, or None where it is missing or worked out in the execution."""
        value: Any = self.body
        for key in keys:
            value = mapping(value).get(key)
        return None if isinstance(value, str) and value.startswith("{%") else value

    def lacks(self, *keys: str) -> bool:
        """Tell whether a member is missing for certain: a key with ``.$`` is read from the state's input."""
        value: Any = self.body
        for key in keys:
            if not isinstance(value, Mapping) or is_intrinsic(value) or f"{key}.$" in value:
                return False
            if key not in value:
                return True
            value = value[key]
        return value is None

    def instance_types(self) -> Iterator[tuple[str, str]]:
        """Yield the paths and names of the instance types that are written out."""
        places = []
        for member in ("ResourceConfig", "HyperParameterTuningResourceConfig"):
            config = mapping(self.member(member))
            places.append((member, config))
            for key in ("InstanceGroups", "InstancePreferences", "InstanceConfigs"):
                places += [(f"{member}.{key}.{index}", group) for index, group in maps(config.get(key))]
        for place, holder in places:
            name = text(holder.get("InstanceType"))
            if name is not None and not is_open(name) and not name.startswith("{%"):
                yield f"{self.path}.{place}.InstanceType", name

    def finding(self, rule_id: str, path: str, message: str, what_to_do: str) -> Finding:
        """Return a fault of the request; ``path`` starts below its body."""
        return Finding(rule_id, self.resource.logical_id, f"{self.path}.{path}", message, what_to_do)


def training_requests(template: Template) -> Iterator[TrainingRequest]:
    """Yield every request for a training job, and every training of a tuning job, also from inside Parallel and Map."""
    for job in template.of_type(TRAINING_JOB):
        yield TrainingRequest(job, "Properties", job.written)
    for definition in definitions(template):
        for scope in definition.scopes():
            for name, state in scope.states.items():
                task = with_placeholders(state.get("Resource"))
                for key in ("Parameters", "Arguments"):
                    body = state.get(key)
                    found = _TASK.fullmatch(task) if task else None
                    if found is None or not isinstance(body, Mapping):
                        continue
                    path = f"{scope.path}.States.{name}.{key}"
                    if found[2] == "TrainingJob":
                        yield TrainingRequest(definition.machine, path, body)
                    elif isinstance(training := body.get("TrainingJobDefinition"), Mapping):
                        path = f"{path}.TrainingJobDefinition"
                        yield TrainingRequest(definition.machine, path, training)


def check(template: Template) -> Iterator[Finding]:
    """Yield the faults of every request."""
    for request in training_requests(template):
        spot = flag(request.member("EnableManagedSpotTraining"))
        if spot:
            yield from _of_spot(request)
        elif request.member("StoppingCondition", "MaxWaitTimeInSeconds") is not None and (
            spot is False or request.lacks("EnableManagedSpotTraining")
        ):
            path, message = (
                "StoppingCondition.MaxWaitTimeInSeconds",
                "a wait is limited, but Spot is not asked for",
            )
            remedy = "remove MaxWaitTimeInSeconds or set EnableManagedSpotTraining"
            yield request.finding(WAIT, path, message, remedy)
        for keys, (minimum, maximum) in _LIMITS.items():
            value = number(request.member(*keys))
            if value is not None and not minimum <= value <= maximum:
                allowed = f"{minimum} to {maximum}"
                message = f"{keys[-1]} is {show(value)}, allowed is {allowed}"
                yield request.finding(LIMITS, ".".join(keys), message, f"choose a value of {allowed}")


def _of_spot(request: TrainingRequest) -> Iterator[Finding]:
    if request.lacks("CheckpointConfig"):
        yield request.finding(
            CHECKPOINT,
            "CheckpointConfig",
            "Spot without CheckpointConfig: an interrupted job starts again from zero",
            "give CheckpointConfig, and let the script resume from what it finds there",
        )
    path = "StoppingCondition.MaxWaitTimeInSeconds"
    wait_s = number(request.member("StoppingCondition", "MaxWaitTimeInSeconds"))
    run_s = number(request.member("StoppingCondition", "MaxRuntimeInSeconds"))
    if request.lacks("StoppingCondition", "MaxWaitTimeInSeconds"):
        remedy = "give MaxWaitTimeInSeconds, at least MaxRuntimeInSeconds"
        yield request.finding(WAIT, path, "Spot needs MaxWaitTimeInSeconds", remedy)
    elif wait_s is not None and run_s is not None and wait_s < run_s:
        message = f"MaxWaitTimeInSeconds is {show(wait_s)}, below MaxRuntimeInSeconds ({show(run_s)})"
        yield request.finding(WAIT, path, message, "raise it: the longest wait includes the longest run")
    for key, words in (
        ("KeepAlivePeriodInSeconds", "a warm pool"),
        ("InstancePreferences", "a list of preferred types"),
    ):
        value = request.member("ResourceConfig", key)
        if value and not is_intrinsic(value) and number(value) != 0:
            message, remedy = f"Spot does not go with {words}", f"remove {key} or EnableManagedSpotTraining"
            yield request.finding(EXCLUDES, f"ResourceConfig.{key}", message, remedy)
