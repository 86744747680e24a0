"""What runs in a cluster goes the way of every kind: synthesized, saved, priced, reviewed."""

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
from tests.app.test_bill import differences, read
from tests.kinds.test_conformance import unknown_to_the_review
from tests.synthesis import PROJECT_ROOT, run_app, synthesize

pytestmark = pytest.mark.cdk
EXAMPLE = PROJECT_ROOT / "examples" / "eks-deployment" / "config"


@pytest.fixture(scope="module")
def output(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("clusters") / "cdk.out"
    synthesize("dev", directory, config=str(EXAMPLE))
    return directory


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


def test_nothing_that_is_emitted_is_unknown_to_the_review(assembly: Assembly) -> None:
    assert unknown_to_the_review(assembly) == set()


def test_templates_and_manifests_cost_what_the_plan_says(assembly: Assembly) -> None:
    assert differences(load_plan(EXAMPLE, "dev").bill, assembly) == []


def test_in_auto_mode_the_fee_of_each_pod_of_a_run_is_in_both_bills(tmp_path: Path) -> None:
    synthesize("staging", tmp_path / "cdk.out", config=str(EXAMPLE))
    bill = load_plan(EXAMPLE, "staging").bill
    assert "Auto Mode fee" in {
        item.name for line in bill.lines if line.workload == "score-customers" for item in line.items
    }
    assert differences(bill, read(tmp_path / "cdk.out", "staging")) == []


def test_what_is_saved_is_what_was_planned(assembly: Assembly) -> None:
    assert assembly.plan is not None
    planned = load_plan(EXAMPLE, "dev")
    assert [(workload.kind, workload.name) for workload in assembly.plan.workloads] == [
        ("eks-deployment", "assistant"),
        ("eks-deployment", "classify-mail"),
        ("eks-transform-job", "score-customers"),
        ("eks-job", "train-classifier"),
    ]
    assert [choice.decided["instance_types"] for choice in assembly.plan.choices] == [
        list(choice.instance_pools) for choice in planned.on_instances
    ]


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
    ("file", "path", "value", "rule", "sentence"),
    [
        ("deployment", "spec.selector.matchLabels.x", "y", "less-available", "a selector cannot change"),
        ("node-class", "spec.amiSelectorTerms", [{"alias": "al2023@v1"}], "less-available", "machine image"),
        ("node-pool", "spec.limits.cpu", "4", "less-available", "Fewer nodes may be launched"),
        ("disruption-budget", "spec.maxUnavailable", 0, "less-available", "nodes cannot be drained"),
        ("deployment", "spec.replicas", 3, "less-available", "set back to this"),
        ("scaled-object", "spec.maxReplicaCount", 2, "less-available", "Fewer pods carry the peak"),
        ("pod-monitor", "spec.selector.matchLabels.x", "y", "fewer-alerts", "other metrics or other pods"),
        ("network-policy", "spec.ingress", [{}], "less-secure", "Others than before may call the pods"),
    ],
)
def test_a_review_says_what_a_changed_manifest_does(
    output: Path, tmp_path: Path, file: str, path: str, value: object, rule: str, sentence: str
) -> None:
    head = tmp_path / "head"
    shutil.copytree(output, head)
    edited = head / "manifests" / "main" / "assistant" / f"{file}.yaml"
    manifest = yaml.safe_load(edited.read_text("utf-8"))
    holder = manifest
    *keys, last = path.split(".")
    for key in keys:
        holder = holder[key]
    holder[last] = value
    edited.write_text(yaml.safe_dump(manifest), "utf-8")

    found = review(output, head)
    hazards = [hazard for hazard in found.hazards if hazard.rule == rule]
    assert any(sentence in hazard.model_dump_json() for hazard in hazards), found.hazards


def test_a_review_says_that_fewer_pods_share_a_run(output: Path, tmp_path: Path) -> None:
    head = tmp_path / "head"
    shutil.copytree(output, head)
    edited = head / "manifests" / "main" / "score-customers" / "cron-job.yaml"
    manifest = yaml.safe_load(edited.read_text("utf-8"))
    manifest["spec"]["jobTemplate"]["spec"] |= {"completions": 1, "parallelism": 1}
    edited.write_text(yaml.safe_dump(manifest), "utf-8")
    said = {hazard.consequence for hazard in review(output, head).hazards}
    assert "Fewer pods share the objects of the next run." in said


@pytest.mark.parametrize(
    ("file", "sentence"),
    [
        ("deployment", "All pods end, and requests fail."),
        ("service", "Callers no longer find the pods."),
        ("node-pool", "All nodes of the workload end, and its pods wait."),
    ],
)
def test_a_review_says_what_a_single_object_that_goes_takes_along(
    output: Path, tmp_path: Path, file: str, sentence: str
) -> None:
    head = tmp_path / "head"
    shutil.copytree(output, head)
    (head / "manifests" / "main" / "assistant" / f"{file}.yaml").unlink()
    assert sentence in {hazard.consequence for hazard in review(output, head).hazards}


def test_a_move_out_of_the_cluster_names_the_address_that_callers_lose(output: Path, tmp_path: Path) -> None:
    found = review(output, synthesized(tmp_path, "    target: main\n", ""))
    (hazard,) = (
        hazard
        for hazard in found.hazards
        if hazard.stack == "shop-dev-assistant/main" and hazard.rule == "stack-removed"
    )
    assert "callers of assistant.shop-dev.svc:8081 fail" in hazard.consequence
    assert "kubectl delete -k manifests/main/assistant" in hazard.what_to_do


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


def changed(output: Path, head: Path, file: str, change: Callable[[dict[str, Any]], None]) -> Path:
    """A copy of an output in which an object of the workload is changed."""
    shutil.copytree(output, head)
    edited = head / "manifests" / "main" / "assistant" / f"{file}.yaml"
    manifest = yaml.safe_load(edited.read_text("utf-8"))
    change(manifest)
    edited.write_text(yaml.safe_dump(manifest), "utf-8")
    return head


def test_replicas_are_no_fight_where_the_scaler_goes(output: Path, tmp_path: Path) -> None:
    head = changed(output, tmp_path / "head", "deployment", lambda found: found["spec"].update(replicas=3))
    assert "set back to this" in review(output, head).model_dump_json()
    (head / "manifests" / "main" / "assistant" / "scaled-object.yaml").unlink()
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


def review(base: Path, head: Path) -> Review:
    reader = OutputReader()
    return compare_outputs(reader.read(base, "base"), reader.read(head, "head"))
