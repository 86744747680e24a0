"""What a review says of manifests: each object that changes, or goes, with what that does."""

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from sizewell.planning import load_plan
from sizewell.review.compare import compare_outputs
from sizewell.review.model import Review
from sizewell.review.saved.output import Assembly
from sizewell.review.saved.reading import OutputReader
from sizewell.targets.eks.job.plan_model import EksJobPlan
from tests.app.test_bill import read
from tests.synthesis import run_app, synthesize
from tests.targets.conftest import Synthesized, configuration_of

pytestmark = pytest.mark.cdk
EXAMPLE = configuration_of("eks-deployment")
SERVED, TRAINED, TRANSFORMED, QUEUED = "assistant", "train-classifier", "score-customers", "transcribe"
RUN = "spec.jobTemplate.spec"
#: The example and the environment of each; in staging, a schedule starts runs.
OUTPUTS = {
    SERVED: ("eks-deployment", "dev"),
    TRAINED: ("eks-deployment", "staging"),
    TRANSFORMED: ("eks-deployment", "dev"),
    QUEUED: ("eks-queue-worker", "prod"),
}


@pytest.fixture(scope="module")
def output(synthesized: Synthesized) -> Path:
    return synthesized("eks-deployment", "dev")


@pytest.fixture(scope="module")
def assembly(output: Path) -> Assembly:
    return read(output, "dev")


def test_manifests_are_stacks_of_their_workloads(assembly: Assembly) -> None:
    assert {name for name in assembly.stacks if "/" in name} == {
        "shop-dev-assistant/main",
        "shop-dev-classify-mail/main",
        "shop-dev-foundation/main",
        "shop-dev-score-customers/main",
        "shop-dev-train-classifier/main",
    }
    pool = assembly.stacks["shop-dev-assistant/main"].resources["NodePool"]
    assert pool.resource_type == "Kubernetes::NodePool"


def test_another_synth_leaves_nothing_of_the_one_before(output: Path, tmp_path: Path) -> None:
    again = tmp_path / "cdk.out"
    shutil.copytree(output, again)
    stale = again / "manifests" / "gone" / "deployment.yaml"
    stale.parent.mkdir()
    stale.write_text("kind: Deployment\n", "utf-8")
    ended = run_app("dev", again, context={"config": str(EXAMPLE)})
    assert ended.returncode == 0, ended.stderr
    assert not stale.exists()
    assert files(again / "manifests") == files(output / "manifests")


def files(directory: Path) -> dict[str, bytes]:
    return {
        path.relative_to(directory).as_posix(): path.read_bytes()
        for path in directory.rglob("*")
        if path.is_file()
    }


@pytest.mark.parametrize(
    ("workload", "file", "path", "value", "rule", "sentence"),
    [
        (SERVED, "deployment", "spec.selector.matchLabels.x", "y", "less-available", "a selector cannot change"),
        (SERVED, "node-class", "spec.amiSelectorTerms", [{"alias": "al2023@v1"}], "less-available", "machine image"),
        (SERVED, "node-pool", "spec.limits.cpu", "4", "less-available", "Fewer nodes may be launched"),
        (SERVED, "disruption-budget", "spec.maxUnavailable", 0, "less-available", "nodes cannot be drained"),
        (SERVED, "deployment", "spec.replicas", 3, "less-available", "set back to this"),
        (SERVED, "scaled-object", "spec.maxReplicaCount", 1, "less-available", "Fewer pods carry the peak"),
        (SERVED, "pod-monitor", "spec.selector.matchLabels.x", "y", "fewer-alerts", "other metrics or other pods"),
        (SERVED, "network-policy", "spec.ingress", [{}], "less-secure", "Others than before may call the pods"),
        (TRAINED, "cron-job", "spec.suspend", True, "less-available", "No run starts by itself any more."),
        (TRAINED, "cron-job", f"{RUN}.activeDeadlineSeconds", 60, "less-available", "The next run is ended sooner."),
        (TRAINED, "cron-job", f"{RUN}.podFailurePolicy", None, "slower-recovery", "Each interruption counts as a failure"),
        (TRAINED, "cron-job", f"{RUN}.podReplacementPolicy", "TerminatingOrFailed", "", "may write the same objects"),
        (TRAINED, "cron-job", f"{RUN}.ttlSecondsAfterFinished", 60, "slower-recovery", "is forgotten sooner"),
        (TRANSFORMED, "cron-job", f"{RUN}.completions", 1, "", "Fewer pods share the objects of the next run."),
        (TRANSFORMED, "cron-job", f"{RUN}.template.spec.containers.0.image", "own:1", "", "The next run has another image."),
        (QUEUED, "scaled-object", "spec.triggers.0.metadata.queueLength", "900", "", "More requests wait for each pod"),
        (QUEUED, "scaled-object", "spec.triggers.0.metadata.queueURL", "https://sqs/other", "", "Pods follow another queue"),
        (QUEUED, "trigger-authentication", "spec.podIdentity.provider", "gcp", "", "KEDA asks with other credentials"),
        (QUEUED, "deployment", "spec.template.spec.terminationGracePeriodSeconds", 30, "", "cut off earlier when a pod ends"),
    ],
)  # fmt: skip
def test_a_review_says_what_a_changed_manifest_does(
    synthesized: Synthesized,
    tmp_path: Path,
    workload: str,
    file: str,
    path: str,
    value: object,
    rule: str,
    sentence: str,
) -> None:
    output = synthesized(*OUTPUTS[workload])

    def change(manifest: dict[str, Any]) -> None:
        holder: Any = manifest
        *keys, last = path.split(".")
        for key in keys:
            holder = holder[int(key) if key.isdecimal() else key]
        holder[last] = value
        if value is None:
            del holder[last]

    hazards = review(output, changed(output, tmp_path / "head", file, change, workload)).hazards
    assert any(sentence in hazard.model_dump_json() and hazard.rule.startswith(rule) for hazard in hazards), (
        hazards
    )


@pytest.mark.parametrize(
    ("workload", "file", "sentence"),
    [
        (SERVED, "deployment", "All pods end, and requests fail."),
        (SERVED, "service", "Callers no longer find the pods."),
        (SERVED, "node-pool", "All nodes of the workload end, and its pods wait."),
        (TRAINED, "cron-job", "No run starts any more, and those that last end."),
    ],
)
def test_a_review_says_what_a_single_object_that_goes_takes_along(
    output: Path, tmp_path: Path, workload: str, file: str, sentence: str
) -> None:
    head = tmp_path / "head"
    shutil.copytree(output, head)
    manifest_of(head, workload, file).unlink()
    assert sentence in {hazard.consequence for hazard in review(output, head).hazards}


def test_a_pool_without_spot_costs_what_a_run_costs_on_demand(
    synthesized: Synthesized, tmp_path: Path
) -> None:
    # In EKS Auto Mode, whose fee Spot does not lower.
    output = synthesized(*OUTPUTS[TRAINED])
    (plan,) = (
        workload for workload in load_plan(EXAMPLE, "staging").workloads if isinstance(workload, EksJobPlan)
    )

    def on_demand(pool: dict[str, Any]) -> None:
        (capacity,) = (
            requirement
            for requirement in pool["spec"]["template"]["spec"]["requirements"]
            if requirement["key"] == "karpenter.sh/capacity-type"
        )
        capacity["values"].remove("spot")

    (cost,) = review(output, changed(output, tmp_path / "head", "node-pool", on_demand, TRAINED)).cost
    chosen = plan.selection.chosen
    assert chosen.cost.usd_per_hour is not None
    assert chosen.cost.usd_per_month is not None
    usd_on_demand = chosen.cost.usd_per_hour * chosen.estimate.duration_hours
    assert cost.difference.expected == pytest.approx(usd_on_demand - chosen.cost.usd_per_month, abs=0.01)


def test_a_move_out_of_the_cluster_names_the_address_that_callers_lose(output: Path, tmp_path: Path) -> None:
    found = review(output, synthesized(tmp_path, "    target: main\n", ""))
    (hazard,) = (
        hazard
        for hazard in found.hazards
        if hazard.stack == "shop-dev-assistant/main" and hazard.rule == "stack-removed"
    )
    assert "callers of assistant.shop-dev.svc:8081 fail" in hazard.consequence
    assert "kubectl delete -k manifests/main/assistant" in hazard.what_to_do


def test_a_move_to_spot_is_told_with_its_risk_and_its_saving(tmp_path: Path) -> None:
    request = "    request: {input_tokens: 128}\n"
    scaled = f"{request}    scaling: {{min_instances: 2}}\n"
    base = synthesized(tmp_path / "base", request, scaled)
    head = synthesized(tmp_path / "head", request, f"{scaled}    spot: {{enabled: true}}\n")
    found = review(base, head)
    said = {hazard.consequence for hazard in found.hazards}
    assert any("New nodes may be on Spot" in consequence for consequence in said), said
    assert not any("no longer listed" in consequence for consequence in said)
    (cost,) = found.cost
    assert cost.difference.expected is not None
    assert cost.difference.expected < 0
    assert cost.difference.maximum == 0  # where Spot has no capacity
    (change,) = found.config
    assert change.key_path == "workloads.classify-mail.spot.enabled"


def test_another_namespace_makes_other_objects_beside_the_old_ones(output: Path, tmp_path: Path) -> None:
    found = review(
        output,
        synthesized(tmp_path, "    name: company-ml\n", "    name: company-ml\n    namespace: other\n"),
    )
    of_deployment = [
        hazard
        for hazard in found.hazards
        if hazard.logical_id == "Deployment" and "assistant" in hazard.stack
    ]
    assert [hazard.consequence for hazard in of_deployment] == [
        "A Deployment in another namespace stands beside the old one, which nobody removes."
    ]


def test_another_cluster_starts_empty_and_the_old_one_keeps_everything(output: Path, tmp_path: Path) -> None:
    found = review(output, synthesized(tmp_path, "    name: company-ml\n", "    name: company-new\n"))
    said = [hazard.consequence for hazard in found.hazards]
    assert not any("All nodes of the workload are replaced" in consequence for consequence in said)
    (hazard,) = (
        hazard
        for hazard in found.hazards
        if hazard.stack == "shop-dev-assistant/main (company-ml)" and hazard.rule == "stack-removed"
    )
    assert hazard.subject == "manifests/main/assistant in cluster company-ml"
    assert "the objects stay in the cluster" in hazard.consequence
    assert "The other cluster starts empty" in hazard.consequence
    assert hazard.workload == "assistant"
    (cost,) = found.cost
    assert cost.difference.expected == 0


def synthesized(tmp_path: Path, written: str, instead: str) -> Path:
    """An output of the example after one change of its text."""
    config = tmp_path / "config"
    shutil.copytree(EXAMPLE, config)
    base = config / "base.yaml"
    assert written in base.read_text("utf-8")
    base.write_text(base.read_text("utf-8").replace(written, instead), "utf-8")
    synthesize("dev", tmp_path / "cdk.out", config=str(config))
    return tmp_path / "cdk.out"


def test_replicas_are_no_fight_where_the_scaler_goes(output: Path, tmp_path: Path) -> None:
    head = changed(output, tmp_path / "head", "deployment", lambda found: found["spec"].update(replicas=3))
    assert "set back to this" in review(output, head).model_dump_json()
    manifest_of(head, SERVED, "scaled-object").unlink()
    assert "set back to this" not in review(output, head).model_dump_json()


def test_words_of_an_alarm_are_no_threshold(output: Path, tmp_path: Path) -> None:
    def describe(found: dict[str, Any]) -> None:
        found["spec"]["groups"][0]["rules"][0]["annotations"]["description"] = "Look elsewhere"

    def raise_(found: dict[str, Any]) -> None:
        found["spec"]["groups"][0]["rules"][0]["expr"] = "vector(1) > 2"

    words = changed(output, tmp_path / "words", "alert-rules", describe)
    assert review(output, words).hazards == ()
    threshold = changed(output, tmp_path / "threshold", "alert-rules", raise_)
    assert "Alarms go off at other values" in review(output, threshold).model_dump_json()


def test_a_finding_names_the_object_and_its_cluster(output: Path, tmp_path: Path) -> None:
    head = changed(output, tmp_path / "head", "deployment", lambda found: found["spec"].update(replicas=3))
    (hazard,) = review(output, head).hazards
    assert (hazard.workload, hazard.subject) == ("assistant", "Deployment assistant in cluster main")


def test_a_move_into_the_cluster_is_told_with_the_saving(output: Path, tmp_path: Path) -> None:
    found = review(synthesized(tmp_path, "    target: main\n", ""), output)
    (cost,) = found.cost
    assert cost.difference.expected is not None
    assert cost.difference.expected < 0
    assert {change.key_path for change in found.config if change.key_path.endswith(".target")} == {
        "workloads.assistant.target",
        "workloads.classify-mail.target",
        "workloads.score-customers.target",
        "workloads.train-classifier.target",
    }


def changed(
    output: Path, head: Path, file: str, change: Callable[[dict[str, Any]], None], workload: str = SERVED
) -> Path:
    """A copy of an output in which an object of a workload is changed."""
    shutil.copytree(output, head)
    edited = manifest_of(head, workload, file)
    manifest = yaml.safe_load(edited.read_text("utf-8"))
    change(manifest)
    edited.write_text(yaml.safe_dump(manifest), "utf-8")
    return head


def manifest_of(output: Path, workload: str, file: str) -> Path:
    return output / "manifests" / "main" / workload / f"{file}.yaml"


def review(base: Path, head: Path) -> Review:
    reader = OutputReader()
    return compare_outputs(reader.read(base, "base"), reader.read(head, "head"))
