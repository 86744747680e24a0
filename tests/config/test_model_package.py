"""A version of the model registry: what is missing, twice or elsewhere is refused at its line, with what to do."""

from collections.abc import Callable
from typing import Any

import pytest

MessageFor = Callable[[str], str]
LoadDev = Callable[[str], Any]
ARN = "arn:aws:sagemaker:us-east-1:444455556666:model-package/churn/3"
PULL = 'image_repository: {account: "111122223333", repository: churn}'
WHOLE = f"group: churn, version: 3, hardware: cpu_x86_64, {PULL}"
KEY = "arn:aws:kms:eu-west-1:444455556666:key/0a1b2c3d-0a1b-0a1b-0a1b-0a1b2c3d4e5f"


def stated(package: str, more: str = "", kind: str = "real-time-endpoint", top: str = "") -> str:
    return f"""\
workloads:
  churn:
    kind: {kind}
    model: {{architecture: linear, features: 10}}
    container:
      model_package: {{{package}}}
{more}    request: {{rows: 1}}
    latency: {{max_p95_ms: 500}}
    traffic: {{peak_requests_per_second: 1, average_requests_per_second: 1}}
{top}"""


@pytest.mark.parametrize(
    ("package", "key", "reason"),
    [
        (
            WHOLE.replace("3", "latest", 1),
            ".version",
            "latest would have to be looked up, and two plans of one configuration could differ: write the number",
        ),
        (
            WHOLE.replace("version: 3, ", ""),
            ".version",
            "is missing: a model package is a group and a version, or the arn",
        ),
        (
            WHOLE.replace("group: churn, ", ""),
            ".group",
            "is missing: a model package is a group and a version",
        ),
        (f"arn: {ARN}, {WHOLE}", ".group", "stands beside arn, which names group and version; remove it"),
        (
            f"arn: {ARN.replace('us-east-1', 'eu-west-1')}, hardware: cuda, {PULL}",
            ".arn",
            "the model package is in the region eu-west-1, but this environment is in us-east-1",
        ),
        (
            f"arn: {ARN.removesuffix('/3')}, hardware: cuda, {PULL}",
            ".arn",
            'got "arn:aws:sagemaker:us-east-1:444455556666:model-package/churn" (text); expected text',
        ),
        (
            WHOLE.replace(f", {PULL}", ""),
            ".image_repository",
            "is missing: the role that is made for the workload must",
        ),
        (
            f"{WHOLE}, artifact: {{key: a/, key_arn: '{KEY}'}}",
            ".artifact.key_arn",
            "is of another bucket, as the data key encrypts the artifact bucket: name the bucket",
        ),
        (
            f"{WHOLE}, artifact: {{bucket: models, key: a/, key_arn: '{KEY}'}}",
            ".artifact.key_arn",
            "the key is in the region eu-west-1, but this environment is in us-east-1",
        ),
        (
            WHOLE.replace("111122223333", "727897471807"),
            ".image_repository.account",
            "727897471807 is AWS's registry of other regions",
        ),
    ],
)
def test_what_does_not_name_one_version_here_is_refused(
    message_for: MessageFor, package: str, key: str, reason: str
) -> None:
    assert f"workloads.churn.container.model_package{key}\n  {reason}" in message_for(stated(package))


@pytest.mark.parametrize(
    ("more", "key"),
    [
        ("      artifact: {key: models/churn/model.tar.gz}\n", "artifact"),
        ('      image: {framework: pytorch, version: "2.6"}\n', "image"),
        (
            '      images: {cpu_x86_64: {account: "111122223333", repository: churn, tag: "1"}}\n',
            "images",
        ),
    ],
)
def test_a_model_is_named_once(message_for: MessageFor, more: str, key: str) -> None:
    message = message_for(stated(WHOLE, more))
    assert (
        f"workloads.churn.container.{key}\n  stands beside model_package, which names image and artifact"
        in message
    )


def test_a_model_is_named(message_for: MessageFor) -> None:
    without = stated(WHOLE).replace(
        f"      model_package: {{{WHOLE}}}\n", '      image: {framework: pytorch, version: "2.6"}\n'
    )
    assert "workloads.churn.container.artifact\n  is missing: state where the model is" in message_for(
        without
    )


def test_a_role_that_exists_may_pull_by_itself(load_dev: LoadDev) -> None:
    role = "    execution_role_arn: arn:aws:iam::111122223333:role/models\n"
    assert load_dev(stated(WHOLE.replace(f", {PULL}", ""), top=role))


def test_serverless_runs_on_x86(message_for: MessageFor) -> None:
    message = message_for(stated(WHOLE.replace("cpu_x86_64", "cuda"), kind="serverless-endpoint"))
    assert "model_package.hardware\n  is cuda, but this kind of workload runs on cpu_x86_64" in message
