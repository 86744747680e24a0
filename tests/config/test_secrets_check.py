"""Made-up credentials in pieces, so that no scanner of this repository takes them for real ones."""

from typing import Any

import pytest

from config.secrets_check import check_secrets
from config.tree import Node, Position


def shown(key: str, value: Any) -> list[str | None]:
    at = Position("f.yaml", 1, 1)
    return [fault.value for fault in check_secrets(Node({key: Node(value, at)}, at))]


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("AKIA" + "Q" * 16, "AKIA…(20 characters)"),
        ("gh" + "p_" + "a" * 36, "ghp_…(40 characters)"),
        ("github" + "_pat_" + "a" * 30, "github_pat_…(41 characters)"),
        ("hf" + "_" + "a" * 34, "hf_…(37 characters)"),
        ("xox" + "b-" + "1" * 12, "xoxb-…(17 characters)"),
        ("sk" + "-proj-" + "a" * 30, "sk-…(38 characters)"),
        ("wJal" + "rXUtnFEMIK7MDENGbPxRfiCYEXAMPLEKEY12", "…(40 characters)"),
        ("-----BEGIN RSA " + "PRIVATE KEY-----\nMIIB", "-----BEGIN…(36 characters)"),
        ("postgres://app:" + "hunter2@db/x", "postgres://…(27 characters)"),
    ],
)
def test_secret_is_found_whatever_the_key(value: str, expected: str) -> None:
    assert shown("ANY", value) == [expected]


@pytest.mark.parametrize(
    "key", ["HF_TOKEN", "CLIENT_SECRET", "DB_PASSWORD", "WANDB_API_KEY", "password", "AWS_SECRET_ACCESS_KEY"]
)
def test_literal_behind_a_key_of_secrets(key: str) -> None:
    assert shown(key, "abc") == ["…(3 characters)"]


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("HF_TOKEN", "arn:aws:secretsmanager:us-east-1:111122223333:secret:hf-AbCdEf"),
        ("DB_PASSWORD", "arn:aws-cn:ssm:cn-north-1:111122223333:parameter/db"),
        ("DB_PASSWORD", "{{resolve:secretsmanager:db:SecretString:password}}"),
        ("HF_TOKEN", ""),
        ("pad_token", "<pad>"),
        ("mask_token", "[MASK]"),
        ("eos_token", "<|end_of_text|>"),
        ("max_token", 512),
        ("max_new_tokens", 512),
        ("use_token", True),
        ("TOKENIZERS_PARALLELISM", "false"),
        ("MODEL", "meta-llama/Llama-3.1-8B-Instruct"),
        ("COMMIT", "0123456789abcdef0123456789abcdef01234567"),
        ("key", "models/support/model.tar.gz"),
        ("URL", "https://example.com:8080/path@v1"),
    ],
)
def test_what_is_no_secret(key: str, value: Any) -> None:
    assert shown(key, value) == []


def test_secret_in_a_list() -> None:
    at = Position("f.yaml", 1, 1)
    root = Node({"emails": Node([Node("hf" + "_" + "a" * 34, at)], at)}, at)
    assert [fault.key_path for fault in check_secrets(root)] == [("emails", "0")]


@pytest.mark.parametrize("value", ["${Token[TOKEN.1]}", "x-${Token[AWS.Region.4]}-y", "#{Token[TOKEN.2]}"])
def test_cdk_token_is_a_fault(value: str) -> None:
    assert shown("BUCKET", value) == [None]
