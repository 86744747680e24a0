"""Secrets that stand in a template as text."""

from typing import Any

import pytest

from tests.review.builders import resource, template
from tests.review.hazards.apps import described, hazards, text

TASK = "AWS::ECS::TaskDefinition"


def task(*variables: tuple[str, Any]) -> dict[str, Any]:
    environment = [{"Name": name, "Value": value} for name, value in variables]
    return template(
        Task=resource(TASK, {"ContainerDefinitions": [{"Name": "a", "Environment": environment}]})
    )


def test_a_password_is_written_out() -> None:
    found = hazards(task(), task(("DB_PASSWORD", "correct-horse-1")), theme="secrets")
    assert described(found) == text("""
        danger secret-in-clear, dev/app-stack/Task: AWS::ECS::TaskDefinition Task
        DB_PASSWORD is written out
        Everybody who may read the template, the change set or the resource sees the secret.
        Change the secret, and refer to it in AWS Secrets Manager: {{resolve:secretsmanager:...}}.
        """)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("DB_PASSWORD", "{{resolve:secretsmanager:db:SecretString:password}}"),
        ("DB_PASSWORD", {"Ref": "Password"}),
        ("DB_HOST", "correct-horse-1"),
    ],
)
def test_no_secret(name: str, value: Any) -> None:
    assert hazards(task(), task((name, value)), theme="secrets") == ()


def test_what_base_has_as_well_is_no_news() -> None:
    old, new = ("DB_PASSWORD", "correct-horse-1"), ("MODE", "b")
    assert hazards(task(old), task(old, new), theme="secrets") == ()
