"""The whole review: what it says when a side is missing, broken, old or another project, and its verdict."""

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from sizewell.review.compare import compare_outputs, with_gate
from sizewell.review.gate import GateSyntaxError
from sizewell.review.model import PickSide, Review, SelectionChange
from sizewell.review.rendering import render_markdown
from sizewell.review.saved.output import SavedOutput
from sizewell.review.saved.reading import OutputReader
from sizewell.review.verdict import verdict_of
from tests.review.outputs import plan_document, write_assembly

BUCKET = {"A": {"Type": "AWS::S3::Bucket", "Properties": {"BucketName": "a"}, "DeletionPolicy": "Delete"}}
TOPIC = {"T": {"Type": "AWS::SNS::Topic", "Properties": {"DisplayName": "a"}}}


def read(directory: Path, label: str = "label") -> SavedOutput:
    return OutputReader().read(directory, label)


def output(directory: Path, resources: dict[str, Any], **given: Any) -> SavedOutput:
    return read(write_assembly(directory, {"web": resources}, **given), directory.name)


def notes(review: Review) -> list[tuple[str, str | None, str]]:
    return [(note.severity, note.environment, note.text) for note in review.notes]


def test_a_kind_that_this_release_does_not_have_is_danger_in_head_and_said_of_base(tmp_path: Path) -> None:
    unknown = {"kind": "dream-house", "name": "castle", "stack_name": "web"}
    with_it = output(tmp_path / "with", BUCKET, plan=plan_document("prod", workloads=[unknown]))
    without = output(tmp_path / "without", BUCKET, plan=plan_document("prod", workloads=[]))
    text = "castle is a dream-house, a kind that this release does not have: its pick and its load are not reviewed"
    arrives, leaves = compare_outputs(without, with_it), compare_outputs(with_it, without)
    assert ("danger", "prod", f"head: {text}") in notes(arrives)
    assert (arrives.verdict.level, arrives.verdict.sentence) == (
        "danger",
        "Head has a workload of a kind that this release does not have: castle.",
    )
    assert ("warning", "prod", f"base: {text}") in notes(leaves)


def test_nothing_changes(tmp_path: Path) -> None:
    side = output(tmp_path, BUCKET)
    review = compare_outputs(side, side)
    assert (review.verdict.level, review.verdict.sentence) == (
        "no change",
        "Nothing changes in the templates; there is no plan.json in base and head to compare.",
    )
    assert review.resources.unchanged_count == 1


def test_a_safe_change(tmp_path: Path) -> None:
    tagged = {"DisplayName": "a", "Tags": [{"Key": "team", "Value": "search"}]}
    head = {"T": {"Type": "AWS::SNS::Topic", "Properties": tagged}}
    review = compare_outputs(output(tmp_path / "base", TOPIC), output(tmp_path / "head", head))
    assert (review.verdict.level, review.verdict.sentence) == ("safe", "Every change is known to do no harm.")
    assert (review.base and review.base.label, review.head.label) == ("base", "head")


def test_a_change_that_no_row_knows_is_not_called_safe(tmp_path: Path) -> None:
    base, head = ({"T": {"Type": "AWS::New::Thing", "Properties": {"Mode": mode}}} for mode in "ab")
    verdict = compare_outputs(output(tmp_path / "base", base), output(tmp_path / "head", head)).verdict
    assert (verdict.level, verdict.sentence) == (
        "look",
        "Nobody knows what another Mode of AWS::New::Thing T means in app. "
        "The cost of app web: AWS::New::Thing is unknown.",
    )


def test_a_bucket_that_is_lost_is_dangerous(tmp_path: Path) -> None:
    review = compare_outputs(output(tmp_path / "base", BUCKET | TOPIC), output(tmp_path / "head", TOPIC))
    assert review.verdict.level == "danger"
    assert [hazard.rule for hazard in review.hazards] == ["stateful-removed"]


def test_an_environment_of_base_that_does_not_synthesize_is_reviewed_alone(tmp_path: Path) -> None:
    head = read(write_assembly(tmp_path / "head" / "dev", {"web": BUCKET}).parent, "head")
    base = SavedOutput("main", errors={"dev": "config/dev.yaml:3: policy.account: is missing"})
    review = compare_outputs(base, head)
    assert notes(review) == [
        (
            "warning",
            "dev",
            "dev of base does not synthesize, so head is reviewed alone there and nothing counts as changed",
        )
    ]
    assert review.notes[0].detail == "config/dev.yaml:3: policy.account: is missing"
    assert review.resources.changes == ()
    assert [cost.environment for cost in review.cost] == ["dev"]
    assert review.cost[0].base is None
    assert review.verdict.level == "look"


def test_head_that_does_not_synthesize_is_the_worst(tmp_path: Path) -> None:
    base = read(write_assembly(tmp_path / "base" / "dev", {"web": BUCKET}).parent, "base")
    review = compare_outputs(base, SavedOutput("worktree", errors={"dev": "broken"}))
    assert review.verdict.level == "danger"
    assert review.resources.changes == (), "what did not synthesize is not removed"
    assert ("danger", "dev", "dev of head does not synthesize and cannot be deployed") in notes(review)


def test_without_any_base_head_is_reviewed_alone(tmp_path: Path) -> None:
    review = compare_outputs(None, output(tmp_path, BUCKET))
    assert review.base is None
    assert review.resources.changes == ()
    assert "there is no base" in review.notes[0].text


def test_an_environment_that_is_new_is_all_added(tmp_path: Path) -> None:
    write_assembly(tmp_path / "base" / "dev", {"dev-web": TOPIC})
    for name in ("dev", "qa"):
        write_assembly(tmp_path / "head" / name, {f"{name}-web": TOPIC})
    review = compare_outputs(read(tmp_path / "base"), read(tmp_path / "head"))
    assert [(c.environment, c.action) for c in review.resources.changes] == [("qa", "added")]
    assert ("notice", "qa", "qa is missing in base") in notes(review)


def test_environments_can_be_chosen(tmp_path: Path) -> None:
    for name in ("dev", "prod"):
        write_assembly(tmp_path / "base" / name, {f"{name}-web": BUCKET})
        write_assembly(tmp_path / "head" / name, {f"{name}-web": TOPIC})
    review = compare_outputs(read(tmp_path / "base"), read(tmp_path / "head"), environments=["dev"])
    assert {change.environment for change in review.resources.changes} == {"dev"}
    assert review.head.environments == ("dev",)


def test_two_projects_are_told(tmp_path: Path) -> None:
    base = read(write_assembly(tmp_path / "a", {"one": TOPIC}))
    review = compare_outputs(base, read(write_assembly(tmp_path / "b", {"two": TOPIC})))
    assert "no stack in common" in review.notes[0].text


def test_a_missing_plan_is_told_and_the_rest_is_reviewed(tmp_path: Path) -> None:
    base = output(tmp_path / "base", BUCKET)
    head = output(tmp_path / "head", BUCKET, plan=plan_document("prod"))
    review = compare_outputs(base, head)
    texts = [text for _, _, text in notes(review)]
    assert (
        "there is no plan.json in base, which an app with sizewell.Platform writes: "
        "selection, traffic and workloads are left out"
    ) in texts
    assert review.verdict.level == "no change"
    assert review.verdict.sentence.endswith("there is no plan.json in base to compare.")
    assert f"{review.verdict.sentence}\n" in render_markdown(review)
    assert compare_outputs(head, head).verdict.sentence == "Nothing changes."


def test_a_corrupt_plan_is_told_once(tmp_path: Path) -> None:
    base = output(tmp_path / "base", BUCKET, plan=plan_document("prod"))
    write_assembly(tmp_path / "head", {"web": BUCKET})
    (tmp_path / "head" / "plan.json").write_text("{", "utf-8")
    review = compare_outputs(base, read(tmp_path / "head"))
    about = [text for _, _, text in notes(review) if "plan.json" in text]
    assert len(about) == 1
    assert "cannot be read" in about[0]


def test_plans_of_two_versions_and_two_catalogs_are_told(tmp_path: Path) -> None:
    base = output(
        tmp_path / "base", BUCKET, plan=plan_document("prod", schema_version=3, catalog_version="aaaa")
    )
    review = compare_outputs(base, output(tmp_path / "head", BUCKET, plan=plan_document("prod")))
    texts = " ".join(text for _, _, text in notes(review))
    assert "catalog aaaa in base, 000000000000 in head" in texts
    assert "plan.json has version 3 in base" in texts


def test_the_gate_holds_what_stops_the_change(tmp_path: Path) -> None:
    base, head = output(tmp_path / "base", BUCKET | TOPIC), output(tmp_path / "head", TOPIC)
    review = with_gate(compare_outputs(base, head), ["remove-stateful", "cost-increase>10%"], base, head)
    assert review.gate is not None
    assert [failure.condition for failure in review.gate.failures] == ["remove-stateful"]


def test_without_conditions_there_is_no_gate(tmp_path: Path) -> None:
    side = output(tmp_path, BUCKET)
    assert with_gate(compare_outputs(side, side), [], side, side).gate is None


def test_a_condition_that_cannot_be_read_is_told(tmp_path: Path) -> None:
    side = output(tmp_path, BUCKET)
    with pytest.raises(GateSyntaxError, match="cost-incraese"):
        with_gate(compare_outputs(side, side), ["cost-incraese>10%"], side, side)


def test_the_configuration_of_either_side_gates(tmp_path: Path) -> None:
    def side(name: str, resources: dict[str, Any], conditions: list[str]) -> SavedOutput:
        config = {
            "schema_version": 1,
            "environment": {"name": "app", "policy": {"review_fail_on": conditions}},
        }
        return output(tmp_path / name, resources, config=config)

    base, head = side("base", BUCKET, ["remove-stateful"]), side("head", {}, [])
    review = with_gate(compare_outputs(base, head), [], base, head)
    assert review.gate is not None
    assert len(review.gate.failures) == 1, "a change cannot switch off its own gate"


def test_the_same_sides_give_the_same_bytes(tmp_path: Path) -> None:
    base, head = output(tmp_path / "base", BUCKET | TOPIC), output(tmp_path / "head", TOPIC)
    assert compare_outputs(base, head).model_dump_json() == compare_outputs(base, head).model_dump_json()


def test_nothing_in_a_review_starts_cdk_git_or_the_network(tmp_path: Path) -> None:
    write_assembly(tmp_path, {"web": BUCKET})
    program = f"""
import sys
from pathlib import Path
from sizewell.review.compare import compare_outputs
from sizewell.review.rendering import render_html, render_json, render_markdown
from sizewell.review.saved.reading import OutputReader
side = OutputReader().read(Path({str(tmp_path)!r}), "x")
review = compare_outputs(side, side)
render_html(review), render_json(review), render_markdown(review)
bad = {{"aws_cdk", "jsii", "constructs", "cdk_nag", "boto3", "subprocess", "cfnlint", "ruamel"}} & set(sys.modules)
print(sorted(bad))
"""
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert json.loads(ended.stdout.replace("'", '"')) == []


def test_labels_do_not_change_what_is_said(tmp_path: Path) -> None:
    side = output(tmp_path, BUCKET)
    assert compare_outputs(replace(side, label="other"), side).verdict == compare_outputs(side, side).verdict


def test_a_lock_that_no_longer_fits_is_no_other_pick(tmp_path: Path) -> None:
    def side(lock: str) -> PickSide:
        return PickSide(
            instance_type="ml.g5.xlarge",
            instance_count=1,
            usd_per_hour=1.0,
            usd_per_month=730.0,
            time=10.0,
            runner_up=None,
            lock=lock,
        )

    change = SelectionChange(
        environment="dev",
        workload="bert",
        kind="real-time-endpoint",
        time_of="latency",
        base=side("locked"),
        head=side("stale"),
        reasons=("the configuration has changed",),
    )
    same = output(tmp_path, BUCKET)
    review = compare_outputs(same, same).model_copy(update={"selection": (change,)})
    assert verdict_of(review).level == "nothing found"
    assert "bert" not in verdict_of(review).sentence
    other = change.model_copy(update={"head": side("locked").model_copy(update={"instance_count": 2})})
    sentence = verdict_of(review.model_copy(update={"selection": (other,)})).sentence
    assert sentence == "In dev, bert runs on 1 x ml.g5.xlarge → 2 x ml.g5.xlarge."
