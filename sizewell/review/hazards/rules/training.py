"""Requests for training jobs, inside state machines or as resources, and the plan's where no machine can be read.

SageMaker developer guide, "Managed Spot Training": MaxWaitTimeInSeconds must be at least MaxRuntimeInSeconds.
"""

from collections.abc import Iterator, Mapping

from sizewell.checks.rules.training_requests import TRAINING_JOB, TrainingRequest, training_requests
from sizewell.checks.state_language import STATE_MACHINE
from sizewell.config.cluster_targets import planned_words
from sizewell.planning.saved_plan import SavedPlan
from sizewell.planning.saved_workload import SavedJob
from sizewell.review.comparison import EnvironmentPair
from sizewell.review.hazards.rule import Environment, Found, hazard_rule
from sizewell.review.words import listed, shown
from sizewell.templates.template import Resource, ResourcePair, Template
from sizewell.templates.values import flag, mapping, number

_WAIT = ("StoppingCondition", "MaxWaitTimeInSeconds")
_RUN = ("StoppingCondition", "MaxRuntimeInSeconds")
_CONSEQUENCE = (
    "If SageMaker takes the Spot instance back, the job starts again from zero. The hours until then are lost, and the job may "
    "never finish."
)


def _requests(machine: Resource | None) -> Mapping[str, TrainingRequest]:
    """Return the requests of a state machine by the path of their state; that of a training job alone."""
    if machine is None or machine.resource_type not in (STATE_MACHINE, TRAINING_JOB):
        return {}
    if machine.resource_type == TRAINING_JOB:
        return {"Properties": TrainingRequest(machine, "Properties", machine.properties)}
    written = mapping(machine.properties.get("Definition")) or mapping(
        machine.properties.get("DefinitionString")
    )
    body = {"Type": STATE_MACHINE, "Properties": {"Definition": written}}
    alone = Template({"Resources": {machine.logical_id: body}})
    return {request.path: request for request in training_requests(alone)}


def _machines(environment: Environment, *resource_types: str) -> Iterator[tuple[ResourcePair, Resource]]:
    """Yield the machines, or jobs, of head that are new or changed; new ones count only where users are served."""
    for pair in environment.diff.resources(*resource_types):
        if pair.head is None or (pair.base is None and not environment.production):
            continue
        if pair.base is None or pair.base.properties != pair.head.properties:
            yield pair, pair.head


def _state(path: str) -> str:
    below = path.rpartition(".States.")[2].removesuffix(".TrainingJobDefinition")
    return below.rpartition(".")[0] or below


def _restarts(request: TrainingRequest | None) -> bool:
    """Tell whether an interruption throws all progress away."""
    return (
        request is not None
        and flag(request.member("EnableManagedSpotTraining")) is True
        and request.lacks("CheckpointConfig")
    )


@hazard_rule("recovery")
def spot_without_checkpoint(environment: EnvironmentPair) -> Iterator[Found]:
    """A training job on Spot starts again from zero after an interruption."""
    readable: set[str] = set()
    for pair, machine in _machines(environment, STATE_MACHINE, TRAINING_JOB):
        base, head = _requests(pair.base), _requests(machine)
        if head:
            readable.add(pair.stack.name)
        faulty = [
            path for path, request in head.items() if _restarts(request) and not _restarts(base.get(path))
        ]
        if faulty:
            lost = [path for path in faulty if path in base and not base[path].lacks("CheckpointConfig")]
            states = listed(_state(path) for path in faulty)
            yield Found(
                "warning",
                pair.stack.name,
                machine.logical_id,
                f"training in {machine.path}",
                f"CheckpointConfig is removed while EnableManagedSpotTraining is true, in {states}"
                if lost
                else f"EnableManagedSpotTraining is true without CheckpointConfig, in {states}",
                _CONSEQUENCE,
                "Set CheckpointConfig with an S3 URI and let the script resume from it, or train on demand.",
            )
    yield from _planned_spot(environment, readable)


def _planned_spot(environment: EnvironmentPair, readable: set[str]) -> Iterator[Found]:
    head = environment.head.plan if environment.head else None
    base = _jobs(environment.base.plan if environment.base else None)
    for job in head.of(SavedJob) if head else ():
        before = base.get(job.name)
        new = before is None
        if job.stack_name in readable or not _job_restarts(job) or (new and not environment.production):
            continue
        if before is None or not _job_restarts(before):
            yield Found(
                "warning",
                job.stack_name,
                None,
                f"training job {job.name}",
                "the checkpoint is removed while Spot instances are tried"
                if before and before.checkpoint
                else "Spot instances are tried without checkpoint",
                _CONSEQUENCE,
                "Give the workload a checkpoint and let the script resume from it, or train on demand.",
            )


def _jobs(plan: SavedPlan | None) -> Mapping[str, SavedJob]:
    return {job.name: job for job in plan.of(SavedJob)} if plan else {}


def _job_restarts(job: SavedJob) -> bool:
    return job.checkpoint is None and any(attempt.spot for attempt in job.attempts)


@hazard_rule("availability")
def max_wait_too_short(environment: Environment) -> Iterator[Found]:
    """A training job on Spot waits for less time than it may run, which SageMaker refuses."""
    for pair, machine in _machines(environment, STATE_MACHINE):
        base, head = _requests(pair.base), _requests(machine)
        faults = {path: _short(request) for path, request in head.items()}
        for path, fault in sorted(faults.items()):
            if fault and fault != (_short(base[path]) if path in base else None):
                yield Found(
                    "danger",
                    pair.stack.name,
                    machine.logical_id,
                    f"state {_state(path)} of {machine.path}",
                    fault,
                    "SageMaker refuses the request with a ValidationException. Each execution fails at this state.",
                    "Raise MaxWaitTimeInSeconds, which covers waiting and running together.",
                )


def _short(request: TrainingRequest) -> str | None:
    if flag(request.member("EnableManagedSpotTraining")) is not True:
        return None
    wait_s, run_s = number(request.member(*_WAIT)), number(request.member(*_RUN))
    if wait_s is None or run_s is None or wait_s >= run_s:
        return None
    return f"MaxWaitTimeInSeconds {shown(wait_s)} is below MaxRuntimeInSeconds {shown(run_s)}"


@hazard_rule("correctness")
def state_machine_rewritten(environment: EnvironmentPair) -> Iterator[Found]:
    """A job moves into another service, and its state machine has other steps."""
    for pair in environment.diff.resources(STATE_MACHINE):
        if pair.base is None or pair.head is None or pair.stack.name not in environment.moved_workloads:
            continue
        kinds = (planned_words(kind) for kind in environment.moved_workloads[pair.stack.name])
        yield Found(
            "warning",
            pair.stack.name,
            pair.head.logical_id,
            f"state machine of {environment.name_of_stack(pair.stack.name)}",
            " → ".join(kinds),
            "The state machine starts jobs of another service, so all its steps are new. An execution that runs goes on with the "
            "old steps, which the role no longer allows.",
            "Try it in an environment without users first, and deploy while no execution runs.",
        )
