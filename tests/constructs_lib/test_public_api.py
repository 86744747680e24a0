"""The app of the guide, run as it stands there, and the names that an app may import."""

import inspect
import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from aws_cdk import App, Stack

import constructs_lib
from constructs_lib import (
    AlarmThresholds,
    ExistingNetworkProps,
    Foundation,
    FoundationProps,
    FoundationReferences,
    RealtimeEndpoint,
    RealtimeEndpointProps,
    SpotTrainingJobProps,
    TrainingAttempt,
    TrainingJobProps,
    TrainingWorkflow,
    TrainingWorkflowProps,
)
from sizewell.planning.offers import offered_types
from sizewell.stacks.guards import add_guards
from tests.synthesis import PROJECT_ROOT, templates

pytestmark = pytest.mark.cdk

GUIDE = (PROJECT_ROOT / "docs" / "guides" / "constructs.md").read_text("utf-8")
APP, TRAINING, GUARDS, FINDINGS = re.findall(r"```python\n(.*?)```", GUIDE, re.DOTALL)
SYNTH = "app.synth()\n"
IMAGE = "111122223333.dkr.ecr.us-east-1.amazonaws.com/chat:1"

#: An app breaks when one of them goes or gets another name: that needs a word in the changelog.
PUBLIC_NAMES = """
    AlarmEvaluation AlarmThresholds AsynchronousInference BatchTransform BatchTransformProps
    ComponentRollout CompositeAlarm CompositeAlarmProps ConcurrencyAction ConcurrencyScaling ConcurrencyScalingProps CopyScaling
    EndpointAlarmProps EndpointAlarms EndpointScaling EndpointScalingProps ExistingNetworkProps
    ExistingResources FileSystemChannel Foundation FoundationParts FoundationProps FoundationReferences
    InferenceComponentEndpoint InferenceComponentEndpointProps InferenceComponentProps InferenceTopics
    InferenceTopicsProps LambdaAlarm LambdaAlarms LambdaAlarmsProps LambdaFunction LambdaFunctionProps
    LambdaRollout LambdaRolloutProps ModelPackage MonthlyBudget MountedGroup MultiModel NewNetworkProps Notebook
    NotebookProps Outcome Pipeline PipelineContainer PipelineProps ProcessingAttempt ProcessingInput
    ProcessingJobProps ProcessingOutput ProcessingWorkflow ProcessingWorkflowProps ProductionVariant
    QualityGate RealtimeEndpoint RealtimeEndpointProps RegisterStep RunStep ScalingMath ScalingMetric
    ScalingStep ScheduledAction ScheduledCopies SearchedRange ServerlessEndpoint ServerlessEndpointProps SpotTrainingJob
    SpotTrainingJobProps StepScaling TargetTracking TrainingAttempt TrainingChannel TrainingCheckpoint
    TrainingCode TrainingJobProps TrainingScheduleTiming TrainingWorkflow TrainingWorkflowProps
    TransformAttempt TransformInput TransformJobProps TuningSearch TuningWorkflow TuningWorkflowProps
    VariantScaling acknowledge acknowledge_all acknowledge_wildcards concurrency_of_alias
    concurrency_of_variant track_invocations use_bundled_node
"""

Run = Callable[..., tuple[Path, subprocess.CompletedProcess[str]]]


@pytest.fixture
def run(tmp_path: Path, cdk_context: dict[str, Any]) -> Run:
    """Return a function that runs a program where no file of this project lies, as ``cdk`` would."""

    def run(text: str, **more: str) -> tuple[Path, subprocess.CompletedProcess[str]]:
        (tmp_path / "app.py").write_text(text)
        variables = {
            "PYTHONPATH": str(PROJECT_ROOT),
            "CDK_CONTEXT_JSON": json.dumps(cdk_context),
            "CDK_OUTDIR": str(tmp_path / "cdk.out"),
        }
        ended = subprocess.run(
            [sys.executable, "app.py"],
            cwd=tmp_path,
            env={**os.environ, **variables, **more},
            capture_output=True,
            text=True,
            check=False,
        )
        return tmp_path / "cdk.out", ended

    return run


def test_the_app_of_the_guide_needs_nothing_but_the_constructs(run: Run) -> None:
    assembly, ended = run(APP)

    assert (ended.returncode, ended.stderr) == (0, "")
    shared, chat = templates(assembly)["Shared"], templates(assembly)["Chat"]
    [endpoint] = [r for r in chat["Resources"].values() if r["Type"] == "AWS::SageMaker::Endpoint"]
    assert endpoint["Properties"]["RetainAllVariantProperties"] is True, "or an update would undo the scaling"
    published = {r["Properties"]["Name"] for r in shared["Resources"].values() if "SSM" in r["Type"]}
    references = {name: p for name, p in chat["Parameters"].items() if name.startswith("Foundation")}
    assert {p["Default"] for p in references.values()} < published
    assert chat["Parameters"].keys() - references.keys() == {"Autoscaling", "BootstrapVersion"}
    assert "Fn::ImportValue" not in json.dumps(chat)


def test_with_everything_of_the_guide_no_finding_is_left_open(run: Run) -> None:
    _, ended = run(APP.removesuffix(SYNTH) + TRAINING + GUARDS + FINDINGS + SYNTH, CDK_VALIDATION="true")
    assert (ended.returncode, ended.stderr) == (0, "")


@pytest.mark.parametrize("with_context", [True, False], ids=["feature flags", "no feature flags"])
def test_every_construct_is_safe_by_default_beside_its_foundation(
    cdk_context: dict[str, Any], with_context: bool
) -> None:
    app = App(context=cdk_context if with_context else {}, analytics_reporting=False)
    stack = Stack(app, "Stack", env={"account": "111122223333", "region": "us-east-1"})
    network = ExistingNetworkProps(
        vpc_id="vpc-0123456789abcdef0", subnet_ids=("subnet-0123456789abcdef0", "subnet-0123456789abcdef1")
    )
    foundation = Foundation(
        stack, "Foundation", props=FoundationProps(name_prefix="acme", network=network)
    ).references
    for name, instance_type in (("ebs", "ml.m5.xlarge"), ("nvme", "ml.g5.xlarge")):
        props = RealtimeEndpointProps(
            endpoint_name=f"acme-{name}",
            instance_type=instance_type,
            image_uri=IMAGE,
            artifact_key="models/1.tar.gz",
            foundation=foundation,
        )
        endpoint = RealtimeEndpoint(stack, name, props=props)
        endpoint.add_scaling(
            min_instance_count=1, max_instance_count=3, target_invocations_per_instance_per_minute=60
        )
        endpoint.add_alarms()
    job = TrainingJobProps(
        job_name_prefix="acme-weekly",
        attempts=(TrainingAttempt(instance_type="ml.g5.xlarge", image_uri=IMAGE, ends_after_s=3600),),
        output_key_prefix="output/weekly",
    )
    workflow = TrainingWorkflowProps(
        workload_name="weekly", state_machine_name="acme-weekly", job=job, foundation=foundation
    )
    TrainingWorkflow(stack, "Weekly", props=workflow)
    add_guards(
        app, ("aws-solutions", "hipaa-security", "nist-800-53-r5", "pci-dss"), offered_types("us-east-1")
    )

    resources = app.synth().get_stack_by_name("Stack").template["Resources"].values()

    configurations = [r["Properties"] for r in resources if r["Type"] == "AWS::SageMaker::EndpointConfig"]
    assert ["KmsKeyId" in configuration for configuration in configurations] == [True, False]
    assert all(r["Properties"]["EnableNetworkIsolation"] for r in resources if r["Type"].endswith("::Model"))
    kept = {"AWS::S3::Bucket", "AWS::KMS::Key", "AWS::Logs::LogGroup"}
    policies = {r["DeletionPolicy"] for r in resources if r["Type"] in kept}
    assert policies == {"RetainExceptOnCreate"}


def spot_job(foundation: FoundationReferences, **changes: Any) -> SpotTrainingJobProps:
    values: dict[str, Any] = {
        "name": "acme-train",
        "image_uri": IMAGE,
        "instance_types": ("ml.g5.xlarge", "ml.g6.xlarge"),
        "deadline_s": 7200,
        "on_demand_s": 3600,
    }
    return SpotTrainingJobProps(**values | changes, foundation=foundation)


@pytest.mark.parametrize(
    ("fallback", "tried"),
    [
        (True, [("ml.g5.xlarge", True, 1800), ("ml.g6.xlarge", True, 3600), ("ml.g5.xlarge", False, 7200)]),
        (False, [("ml.g5.xlarge", True, 3600), ("ml.g6.xlarge", True, 7200)]),
    ],
)
def test_a_spot_job_tries_each_type_on_spot_and_the_first_on_demand(
    foundation: FoundationReferences, fallback: bool, tried: list[tuple[str, bool, int]]
) -> None:
    job = spot_job(foundation, on_demand_fallback=fallback).to_job_props()

    asked = [
        (attempt.instance_type, attempt.use_managed_spot, attempt.ends_after_s) for attempt in job.attempts
    ]
    assert asked == tried
    assert job.checkpoint is not None, "or an interruption loses everything"


def test_an_alarm_on_the_processor_wants_the_number_of_its_cores(
    stack: Stack, foundation: FoundationReferences
) -> None:
    props = RealtimeEndpointProps(
        endpoint_name="chat",
        instance_type="ml.m5.xlarge",
        image_uri=IMAGE,
        artifact_key="models/1.tar.gz",
        foundation=foundation,
    )
    endpoint = RealtimeEndpoint(stack, "Endpoint", props=props)

    with pytest.raises(ValueError, match="needs the vcpu_count"):
        endpoint.add_alarms(AlarmThresholds(max_average_cpu_utilization_percent=90))


def test_a_foundation_wants_a_stack_that_knows_where_it_is(app: App) -> None:
    with pytest.raises(ValueError, match="Nowhere of the foundation must name its account and region"):
        Foundation(Stack(app, "Nowhere"), "Foundation", props=FoundationProps(name_prefix="acme"))


@pytest.mark.parametrize("prefix", ["", "Acme", "acme-", "1acme", "a" * 24])
def test_a_prefix_that_cannot_begin_every_name_is_refused(prefix: str) -> None:
    with pytest.raises(ValueError, match="name_prefix takes up to 23"):
        FoundationProps(name_prefix=prefix)


@pytest.mark.parametrize("name", constructs_lib.__all__)  # type: ignore[attr-defined]
def test_every_public_name_says_what_it_is(name: str) -> None:
    text = inspect.getdoc(getattr(constructs_lib, name)) or ""
    assert text.partition("\n\n")[0].endswith(".")
    assert not text.startswith(f"{name}("), "the text that dataclass makes"


def test_the_names_that_apps_import_stay() -> None:
    assert constructs_lib.__all__ == PUBLIC_NAMES.split()  # type: ignore[attr-defined]


def test_nothing_is_imported_before_it_is_used() -> None:
    with pytest.raises(AttributeError, match="no attribute 'Endpoint'"):
        constructs_lib.Endpoint  # type: ignore[attr-defined]  # noqa: B018
    look = "import sys, constructs_lib; sys.exit(any(m in sys.modules for m in ('aws_cdk', 'jsii')))"
    subprocess.run([sys.executable, "-c", look], cwd=PROJECT_ROOT, check=True)
