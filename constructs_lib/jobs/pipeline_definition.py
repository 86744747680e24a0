"""The Amazon States Language of a pipeline: levels of steps, each of which runs another state machine, or registers a model.

    ReadInput ─► Run a ─► Level 2: Run b ─► Read b 1 ─► Judge b ─► Passed b ─► Register d
        │          │               Run c       │           │                      │
        └─ refused └─ Fail a         └─ Fail c └─ Unread   └─ Gate b 1            └─ Fail d

The steps of a level are branches of a Parallel state, which stops the others when one fails; a level of one step needs none.
What comes of the steps travels from state to state, as one object: by the name of the step, what came of it.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import pairwise

from constructs_lib.jobs.job_state_machine_definition import INPUT_REFUSED
from constructs_lib.jobs.training_job_request import HYPERPARAMETERS
from constructs_lib.workflows.state_language import STARTED_BY, State, is_json_object, retry, unknown_keys
from constructs_lib.workflows.workflow_messages import STEP_NAME_PREFIX

STEP_FAILED, GATE_NOT_PASSED = "StepFailed", "QualityGateNotPassed"
#: What an execution may be started with: hyperparameters, by the name of the step that hands them on.
STEPS = "steps"
#: Time beyond that of a machine, which ends by itself: for news of it that got lost.
STEP_GRACE_S = 300
_EXECUTION = "$states.context.Execution"
_API_TIMEOUT_S = 60


@dataclass(frozen=True, kw_only=True)
class QualityGate:
    """The bounds of a number: a metric in the report of a training, or members of a JSON object of the artifact bucket."""

    metric: str
    file_key: str | None = None
    at_least: float | None = None
    at_most: float | None = None


class Outcome(StrEnum):
    """What is kept of a step that succeeded, by what it runs; ``$output`` is the output of its machine."""

    #: A processing job, or a batch transform.
    JOB = "{'ExecutionArn': $states.result.ExecutionArn}"
    #: The report of a training: TrainingJobName, ModelArtifacts, Metrics and more.
    TRAINING = "$output"
    #: The same of the best training of a tuning. Where its model is follows from its name:
    #: https://docs.aws.amazon.com/sagemaker/latest/dg/cdf-training.html#td-serialization
    TUNING = (
        "{'TrainingJobName': $output.BestTrainingJob.TrainingJobName, "
        "'ModelArtifacts': $output.TrainingJobDefinition.OutputDataConfig.S3OutputPath & "
        "$output.BestTrainingJob.TrainingJobName & '/output/model.tar.gz', "
        "'Metrics': $output.BestTrainingJob.FinalHyperParameterTuningJobObjectiveMetric.{MetricName: Value}}"
    )


@dataclass(frozen=True, kw_only=True)
class RunStep:
    """A step that runs a state machine, which ends by itself after ``time_limit_s``.

    ``reads`` are inputs of a processing job that read the model of this run,
    each with the step that trains it.
    ``takes_hyperparameters`` lets the execution of the pipeline hand some on.
    """

    name: str
    state_machine_name: str
    time_limit_s: int
    outcome: Outcome = Outcome.JOB
    takes_hyperparameters: bool = False
    reads: Mapping[str, str] = field(default_factory=dict)
    gates: Sequence[QualityGate] = ()


@dataclass(frozen=True, kw_only=True)
class RegisterStep:
    """A step that makes the model that ``trained_by`` wrote a version of a model group.

    ``group`` names its construct, in every environment alike; None takes ``group_name``, by which AWS knows it.
    """

    name: str
    trained_by: str
    group_name: str
    image_uri: str
    is_approved: bool = False
    group: str | None = None


@dataclass(frozen=True, kw_only=True)
class _Chain:
    """The states of a step: those that follow each other, and those that end it badly."""

    states: dict[str, State]
    bad_ends: dict[str, State]

    @property
    def start(self) -> str:
        return next(iter(self.states))

    def ended(self, ending: State) -> dict[str, State]:
        """Return all of them, linked; the last one goes on as ``ending`` says."""
        names = list(self.states)
        links = [_default_or_next(self.states[name], following) for name, following in pairwise(names)]
        linked = [{**self.states[name], **link} for name, link in zip(names, [*links, ending], strict=True)]
        return dict(zip(names, linked, strict=True)) | self.bad_ends


def _default_or_next(state: State, following: str) -> State:
    return {"Default" if state["Type"] == "Choice" else "Next": following}


def pipeline_definition(
    levels: Sequence[Sequence[RunStep | RegisterStep]],
    *,
    time_limit_s: int,
    partition: str,
    machine_arns: Mapping[str, str],
) -> State:
    """Return the state machine definition as plain data, with placeholders for the artifact bucket and the data key.

    ``machine_arns`` are by the name of the machine.
    """
    runs: list[RunStep] = []
    chains: list[list[_Chain]] = []
    for level in levels:
        chains.append(
            [
                _run(step, machine_arns[step.state_machine_name], partition)
                if isinstance(step, RunStep)
                else _register(step, runs, partition)
                for step in level
            ]
        )
        runs = [*runs, *(step for step in level if isinstance(step, RunStep))]
    starts = [
        chain[0].start if len(chain) == 1 else f"Level {number}"
        for number, chain in enumerate(chains, start=1)
    ]
    states = _read_input([step.name for step in runs if step.takes_hyperparameters], starts[0])
    for number, (start, chain) in enumerate(zip(starts, chains, strict=True), start=1):
        ending: State = {"Next": starts[number]} if number < len(starts) else {"End": True}
        if len(chain) == 1:
            states |= chain[0].ended(ending)
        else:
            branches = [{"StartAt": branch.start, "States": branch.ended({"End": True})} for branch in chain]
            output = "{% $merge($states.result) %}"
            states[start] = {"Type": "Parallel", "Branches": branches, "Output": output, **ending}
    return {
        "Comment": "Runs the steps of each level side by side; one that fails ends all",
        "QueryLanguage": "JSONata",
        "StartAt": "ReadInput",
        "TimeoutSeconds": time_limit_s,
        "States": states,
    }


def _read_input(trained_by: Sequence[str], following: str) -> dict[str, State]:
    """Refuse what no step takes, before anything runs."""
    unknown = unknown_keys(("", (STEPS,)), (f".{STEPS}", trained_by), (f".{STEPS}.*", (HYPERPARAMETERS,)))
    takes = "takes no input"
    if trained_by:
        form = f"{{{STEPS}: {{NAME: {{{HYPERPARAMETERS}: ...}}}}}}"
        takes = f"may be started with {form}, for {', '.join(trained_by)}"
    cause = f"'This pipeline {takes}, not with ' & $join({unknown}, ', ')"
    return {
        "ReadInput": {
            "Type": "Choice",
            "Choices": [{"Condition": f"{{% $count({unknown}) = 0 %}}", "Output": {}, "Next": following}],
            "Default": "Refuse",
        },
        "Refuse": {"Type": "Fail", "Error": INPUT_REFUSED, "Cause": f"{{% {cause} %}}"},
    }


def _run(step: RunStep, machine_arn: str, partition: str) -> _Chain:
    name = step.name
    given: dict[str, object] = {STARTED_BY: f"{{% {_EXECUTION}.Id %}}"}
    if step.reads:
        # An input is a folder: that of the model.
        given["inputs"] = {
            key: f"{{% $substringBefore({_of(trained_by)}.ModelArtifacts, 'model.tar.gz') %}}"
            for key, trained_by in step.reads.items()
        }
    if step.takes_hyperparameters:
        given[HYPERPARAMETERS] = f"{{% $merge([{_EXECUTION}.Input.{STEPS}.`{name}`.{HYPERPARAMETERS}]) %}}"
    states: dict[str, State] = {
        f"Run {name}": {
            "Type": "Task",
            "Resource": f"arn:{partition}:states:::states:startExecution.sync:2",
            "Arguments": {
                "StateMachineArn": machine_arn,
                "Name": f"{{% '{STEP_NAME_PREFIX}{name}-' & {_token(name)} %}}",
                "Input": given,
            },
            "TimeoutSeconds": step.time_limit_s + STEP_GRACE_S,
            "Retry": [retry("ThrottlingException", "StepFunctions.AWSStepFunctionsException")],
            "Catch": [{"ErrorEquals": ["States.ALL"], "Next": f"Fail {name}"}],
            "Output": _with(name, f"( $output := $states.result.Output; {step.outcome} )"),
        }
    }
    bad_ends: dict[str, State] = {f"Fail {name}": _failed(name)}
    files = dict.fromkeys(gate.file_key for gate in step.gates if gate.file_key is not None)
    for number, file_key in enumerate(files, start=1):
        values = {gate.metric: gate for gate in step.gates if gate.file_key == file_key}
        states[f"Read {name} {number}"] = _read(
            name, file_key, list(values), f"Unread {name} {number}", partition
        )
        bad_ends[f"Unread {name} {number}"] = {
            "Type": "Fail",
            "Error": GATE_NOT_PASSED,
            "Cause": f"{{% '{file_key} of {name} is not there, or cannot be read: ' & $states.input.Error & ' ' & "
            "$states.input.Cause %}",
        }
    if step.gates:
        states[f"Judge {name}"] = {
            "Type": "Choice",
            "Choices": [
                {"Condition": f"{{% $not({_passes(name, gate)}) %}}", "Next": f"Gate {name} {number}"}
                for number, gate in enumerate(step.gates, start=1)
            ],
        }
        # A Choice state ends nothing.
        states[f"Passed {name}"] = {"Type": "Pass"}
        bad_ends |= {
            f"Gate {name} {number}": _not_passed(name, gate)
            for number, gate in enumerate(step.gates, start=1)
        }
    return _Chain(states=states, bad_ends=bad_ends)


def _read(name: str, file_key: str, metrics: Sequence[str], unread: str, partition: str) -> State:
    """Keep numbers of a JSON file that this run wrote: one of an earlier run would judge another model.

    S3 tells when an object was written in whole seconds.
    """
    members = ", ".join(
        f"'{metric}': $is_new ? $found.{'.'.join(f'`{part}`' for part in metric.split('.'))} : 'that of an earlier run'"
        for metric in metrics
    )
    values = (
        f"( $is_new := $toMillis($states.result.LastModified) >= "
        f"1000 * $floor($toMillis({_EXECUTION}.StartTime) / 1000); "
        f"$found := $parse($states.result.Body); {{{members}}} )"
    )
    return {
        "Type": "Task",
        "Resource": f"arn:{partition}:states:::aws-sdk:s3:getObject",
        "Arguments": {"Bucket": "${ArtifactBucketName}", "Key": file_key},
        "TimeoutSeconds": _API_TIMEOUT_S,
        "Retry": [retry("ThrottlingException", "S3.S3Exception")],
        "Catch": [{"ErrorEquals": ["States.ALL"], "Next": unread}],
        "Output": _with(name, f"$merge([{_of(name)}, {{'Values': $merge([{_of(name)}.Values, {values}])}}])"),
    }


def _value(name: str, gate: QualityGate) -> str:
    return f"{_of(name)}.{'Metrics' if gate.file_key is None else 'Values'}.`{gate.metric}`"


def _bounds(gate: QualityGate) -> Iterator[tuple[str, str, float]]:
    """Yield words, operator and value of each bound."""
    bounds = (("at least", ">=", gate.at_least), ("at most", "<=", gate.at_most))
    return ((words, operator, value) for words, operator, value in bounds if value is not None)


def _passes(name: str, gate: QualityGate) -> str:
    value = _value(name, gate)
    within = " and ".join(f"{value} {operator} {bound!r}" for _, operator, bound in _bounds(gate))
    return f"$type({value}) = 'number' ? ({within}) : false"


def _not_passed(name: str, gate: QualityGate) -> State:
    value, bounds = (
        _value(name, gate),
        " and ".join(f"{words} {bound:g}" for words, _, bound in _bounds(gate)),
    )
    observed = f"$exists({value}) ? $string({value}) : 'missing'"
    cause = f"'{gate.metric} of {name} is ' & ({observed}) & '; it must be {bounds}'"
    return {"Type": "Fail", "Error": GATE_NOT_PASSED, "Cause": f"{{% {cause} %}}"}


def _register(step: RegisterStep, runs: Sequence[RunStep], partition: str) -> _Chain:
    """Return the state of a registration; the version says what it comes from, and the numbers of the ``runs`` before it."""
    model = _of(step.trained_by)
    judged = {
        f"{run.name}/{gate.metric}": f"{{% $string({_value(run.name, gate)}) %}}"
        for run in runs
        for gate in run.gates
    }
    state: State = {
        "Type": "Task",
        "Resource": f"arn:{partition}:states:::aws-sdk:sagemaker:createModelPackage",
        "Arguments": {
            "ModelPackageGroupName": step.group_name,
            "InferenceSpecification": {
                "Containers": [{"Image": step.image_uri, "ModelDataUrl": f"{{% {model}.ModelArtifacts %}}"}]
            },
            "ModelApprovalStatus": "Approved" if step.is_approved else "PendingManualApproval",
            # That Step Functions takes it is unproven: no page lists the members that it takes.
            "SecurityConfig": {"KmsKeyId": "${DataKeyArn}"},
            "CustomerMetadataProperties": {
                "ExecutionArn": f"{{% {_EXECUTION}.Id %}}",
                "TrainingJobName": f"{{% {model}.TrainingJobName %}}",
                **judged,
            },
            "ClientToken": f"{{% {_token(step.name)} %}}",
        },
        "TimeoutSeconds": _API_TIMEOUT_S,
        "Retry": [retry("ThrottlingException", "SageMaker.SageMakerException")],
        "Catch": [{"ErrorEquals": ["States.ALL"], "Next": f"Fail {step.name}"}],
        "Output": _with(step.name, "{'ModelPackageArn': $states.result.ModelPackageArn}"),
    }
    return _Chain(states={f"Register {step.name}": state}, bad_ends={f"Fail {step.name}": _failed(step.name)})


def _failed(name: str) -> State:
    """End with the error and the cause of a step: of a machine that failed, its description is the cause, as JSON."""
    cause = "$states.input.Cause"
    described = (
        f"( $ended := {is_json_object(cause)} ? $parse({cause}) : $states.input; "
        f"$cause := $ended.Cause; "
        f"$string({{'Step': '{name}', 'Error': $ended.Error, 'Status': $ended.Status, "
        f"'ExecutionArn': $ended.ExecutionArn, 'Cause': {is_json_object('$cause')} ? $parse($cause) : $cause}}) )"
    )
    return {"Type": "Fail", "Error": STEP_FAILED, "Cause": f"{{% {described} %}}"}


def _token(name: str) -> str:
    """Return 32 digits that every try of a request has, so that none is carried out twice; others once it is redriven."""
    return f"$substring($hash('{name}' & {_EXECUTION}.Id & {_EXECUTION}.RedriveCount, 'SHA-256'), 0, 32)"


def _of(name: str) -> str:
    """Return what came of a step."""
    return f"$states.input.`{name}`"


def _with(name: str, came: str) -> str:
    """Return what came of all steps so far, and of one more."""
    return f"{{% $merge([$states.input, {{'{name}': {came}}}]) %}}"
