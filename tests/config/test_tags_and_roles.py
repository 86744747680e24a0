"""Tags, the permissions boundary and the path of roles: what is refused, and where."""

from collections.abc import Callable
from typing import Any

import pytest

from sizewell.facts.tags import MAX_OTHER_TAGS

LoadDev = Callable[[str], Any]
MessageFor = Callable[[str], str]


def test_tags_merge_as_maps_do(directory: Any, load_dev: LoadDev, base_text: str) -> None:
    text = base_text.replace("platform: demo", "platform: demo\ntags: {team: ml, cost-center: research}")
    (directory / "base.yaml").write_text(text, "utf-8")
    loaded = load_dev("tags: {team: null, cost-center: Research & Co}\n".replace(" & ", " + "))
    assert loaded.environment.tags == {"cost-center": "Research + Co"}


def test_keys_and_values_at_their_limits_are_taken(load_dev: LoadDev) -> None:
    tags = {"k" * 128: "v" * 256} | {f"k{n}": "v" for n in range(MAX_OTHER_TAGS - 1)}
    lines = "".join(f"  {key}: {value}\n" for key, value in tags.items())
    assert load_dev(f"tags:\n{lines}").environment.tags == tags


@pytest.mark.parametrize(
    ("text", "place", "reason"),
    [
        ("tags:\n  a: 1\n", "dev.yaml:2  tags.a", "write it in quotes, to keep it a text"),
        ("tags:\n  a: ''\n", "dev.yaml:2  tags.a", "expected text of"),
        ("tags:\n  a: ' b'\n", "dev.yaml:2  tags.a", "expected text of"),
        (f"tags:\n  a: {'v' * 257}\n", "dev.yaml:2  tags.a", "expected text of"),
        (f"tags:\n  {'k' * 129}: a\n", "dev.yaml:2  tags.kkkk", "the name is not allowed"),
        ("tags:\n  'cost?center': a\n", "dev.yaml:2  tags.cost?center", "did you mean cost-center?"),
        ("tags:\n  AWS:owner: a\n", "dev.yaml:2  tags.AWS:owner", "keys that begin with aws: belong to AWS"),
        (
            "tags:\n  Environment: a\n",
            "dev.yaml:2  tags.Environment",
            "the tag environment is set by the platform itself and cannot be another: remove it",
        ),
        (
            "workloads:\n  nightly-lora:\n    tags:\n      platform: a\n",
            "dev.yaml:4  workloads.nightly-lora.tags.platform",
            "the tag platform is set by the platform itself and cannot be another: remove it",
        ),
        (
            "tags: {team: a}\nworkloads:\n  nightly-lora:\n    tags:\n      Team: b\n",
            "dev.yaml:5  workloads.nightly-lora.tags.Team",
            "team differs from it only in case, and IAM takes both for the same",
        ),
        (
            "tags:\n" + "".join(f"  k{n}: a\n" for n in range(MAX_OTHER_TAGS + 1)),
            "dev.yaml:1  tags",
            "at most 45",
        ),
        (
            "tags:\n"
            + "".join(f"  k{n}: a\n" for n in range(MAX_OTHER_TAGS))
            + "workloads:\n  nightly-lora:\n    tags:\n      one-more: a\n",
            "dev.yaml:49  workloads.nightly-lora.tags",
            "makes 46 tags, with those of the environment; AWS takes 50 of a resource, beside ours 45 of yours",
        ),
    ],
)
def test_tags_that_aws_refuses(message_for: MessageFor, text: str, place: str, reason: str) -> None:
    message = message_for(text)
    assert message.startswith(f"config/{place}")
    assert reason in message


def test_a_required_tag_that_is_missing_is_named_with_all_who_lack_it(message_for: MessageFor) -> None:
    message = message_for(
        "tags: {Cost-Center: a}\npolicy: {required_tags: [cost-center]}\n"
        "workloads:\n  nightly-lora:\n    tags: {team: a}\n"
    )
    assert message == (
        "config/dev.yaml:1  tags.cost-center\n"
        "  is missing, but policy.required_tags asks for it; without it: what all workloads share, support-bert, "
        "nightly-lora; did you mean it by Cost-Center?"
    )


def test_a_workload_cannot_stand_in_for_what_all_share(message_for: MessageFor) -> None:
    of_each = "".join(
        f"  {name}:\n    tags: {{cost-center: a}}\n" for name in ("support-bert", "nightly-lora")
    )
    message = message_for(f"policy: {{required_tags: [cost-center]}}\nworkloads:\n{of_each}")
    assert message.endswith("asks for it; without it: what all workloads share")


def test_what_the_environment_has_or_the_platform_sets_is_there(load_dev: LoadDev) -> None:
    text = "tags: {cost-center: a}\npolicy: {required_tags: [cost-center, environment]}\n"
    assert load_dev(text).environment.policy.required_tags == ("cost-center", "environment")


@pytest.mark.parametrize(
    "arn",
    [
        "arn:aws:iam::111122223333:policy/boundary",
        "arn:aws:iam::111122223333:policy/company/ml/Boundary_1",
        "arn:aws:iam::aws:policy/PowerUserAccess",
    ],
)
def test_boundaries_of_the_account_and_of_aws_are_taken(load_dev: LoadDev, arn: str) -> None:
    loaded = load_dev(f"policy: {{permissions_boundary_arn: '{arn}', role_path: /company/ml/}}\n")
    policy = loaded.environment.policy
    assert (policy.permissions_boundary_arn, policy.role_path) == (arn, "/company/ml/")


@pytest.mark.parametrize(
    ("key", "value", "reason"),
    [
        (
            "permissions_boundary_arn",
            "arn:aws:iam::999988887777:policy/boundary",
            "the policy is in the account 999988887777, but IAM takes one of the account of the role, here "
            "111122223333, or of AWS",
        ),
        (
            "permissions_boundary_arn",
            "arn:aws-cn:iam::111122223333:policy/boundary",
            "the policy is in the partition aws-cn, but this environment is in aws",
        ),
        ("permissions_boundary_arn", "arn:aws:iam::111122223333:role/boundary", "such as arn:aws:iam::"),
        ("permissions_boundary_arn", "arn:aws:iam::111122223333:policy/${x}", "such as arn:aws:iam::"),
        ("role_path", "/company", "such as /ml/platform/"),
        ("role_path", "company/", "such as /ml/platform/"),
        ("role_path", "/a*/", "such as /ml/platform/"),
        ("role_path", f"/{'a' * 511}/", "such as /ml/platform/"),
        ("role_path", "/aws-service-role/", "only AWS makes roles in this path: choose another"),
    ],
)
def test_boundaries_and_paths_that_iam_refuses(
    message_for: MessageFor, key: str, value: str, reason: str
) -> None:
    message = message_for(f"policy:\n  {key}: '{value}'\n")
    assert message.startswith(f"config/dev.yaml:2  policy.{key}\n")
    assert reason in message
