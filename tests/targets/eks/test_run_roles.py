"""What the pods of a run may do in the account: no more than its program does."""

import json
from collections.abc import Mapping
from typing import Any

import pytest

from tests.targets.conftest import Synthesized, of_type, resources

pytestmark = pytest.mark.cdk
TRAINED, TRANSFORMED = "train-classifier", "score-customers"
CHECKPOINTS = f"{TRAINED}/*"


@pytest.mark.parametrize(
    ("name", "read", "written", "deleted"),
    [
        (
            TRAINED,
            {"datasets/mail/*", f"code/{TRAINED}/*"},
            {f"output/{TRAINED}/*", CHECKPOINTS},
            {CHECKPOINTS},
        ),
        (
            TRANSFORMED,
            {"customers/today/*", f"models/{TRANSFORMED}/model.tar.gz"},
            {f"transform/{TRANSFORMED}/*"},
            set(),
        ),
    ],
)
def test_its_pods_read_their_data_write_their_output_and_delete_checkpoints_alone(
    synthesized: Synthesized, name: str, read: set[str], written: set[str], deleted: set[str]
) -> None:
    template = resources(synthesized("eks-deployment", "staging"), f"shop-staging-{name}")
    (policy,) = of_type(template, "AWS::IAM::ManagedPolicy")
    may: dict[str, set[str]] = {}
    for statement in policy["PolicyDocument"]["Statement"]:
        for action in _actions(statement):
            may.setdefault(action, set()).update(_prefixes(statement))
    # What is written is read again: by a multipart upload, and by the next pod of the run.
    assert may["s3:GetObject"] == read | written
    assert may["s3:PutObject"] == written
    assert may.get("s3:DeleteObject", set()) == deleted
    assert {action for action in may if not action.startswith("s3:")} == {
        "kms:Decrypt",
        "kms:GenerateDataKey",
    }
    assert "kms:ViaService" in json.dumps(policy)


def _actions(statement: Mapping[str, Any]) -> list[str]:
    stated = statement["Action"]
    return [stated] if isinstance(stated, str) else list(stated)


def _prefixes(statement: Mapping[str, Any]) -> set[str]:
    """Return what follows the name of the bucket."""
    stated = statement["Resource"]
    arns = stated if isinstance(stated, list) else [stated]
    return {json.dumps(arn).rpartition('"/')[2].partition('"')[0] for arn in arns}
