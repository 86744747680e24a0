"""Callers that nobody can give a permission, and how many IAM takes; each is refused at its line."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from sizewell.facts.iam import MAX_ATTACHED_POLICIES

MessageFor = Callable[[str], str]
LoadDev = Callable[[str], Any]

APP = "arn:aws:iam::111122223333:role/company/app"
PARTNER = "arn:aws:iam::444455556666:role/partner"
DEEP = f"arn:aws:iam::444455556666:role/{'x' * 60}/partner"
PATH = "workloads.support-bert.access.callers"


def calling(*arns: str) -> str:
    lines = "".join(f"        - {arn}\n" for arn in arns)
    return f"workloads:\n  support-bert:\n    access:\n      callers:\n{lines}"


@pytest.mark.parametrize(
    ("arns", "place", "reason"),
    [
        (
            [APP, "arn:aws:iam::111122223333:user/ann"],
            f"6  {PATH}.1",
            "such as arn:aws:iam::111122223333:role/models",
        ),
        (
            ["arn:aws-cn:iam::111122223333:role/app"],
            f"5  {PATH}.0",
            "the role is in the partition aws-cn, but this environment is in aws",
        ),
        (
            ["arn:aws:iam::111122223333:role/aws-service-role/ecs.amazonaws.com/AWSServiceRoleForECS"],
            f"5  {PATH}.0",
            "is a service-linked role, whose permissions only its service sets: name the role of what calls",
        ),
        (
            [
                "arn:aws:iam::111122223333:role/aws-reserved/sso.amazonaws.com/AWSReservedSSO_Dev_0123456789abcdef"
            ],
            f"5  {PATH}.0",
            "to which only its permission set attaches policies",
        ),
        (
            [APP, PARTNER, "arn:aws:iam::111122223333:role/app"],
            f"7  {PATH}.2",
            "is named twice, as a role has one path: remove one of the two",
        ),
        (
            [f"{PARTNER}-{n}" for n in range(50)],
            f"4  {PATH}",
            "has 50 roles of other accounts, which make a trust policy of 2,",
        ),
    ],
)
def test_callers_that_cannot_be(message_for: MessageFor, arns: list[str], place: str, reason: str) -> None:
    message = message_for(calling(*arns))
    assert message.startswith(f"config/dev.yaml:{place}\n")
    assert reason in message


def test_a_role_calls_no_more_endpoints_than_iam_attaches_policies(
    load_dev: LoadDev, message_for: MessageFor
) -> None:
    load_dev("workloads:\n" + _serverless(MAX_ATTACHED_POLICIES))
    message = message_for("workloads:\n" + _serverless(MAX_ATTACHED_POLICIES + 1))
    # Only the role of the account: the other one has no policy attached.
    assert message.startswith("config/dev.yaml:22  workloads.e20.access.callers.0\n")
    assert message.count(f"may invoke more than {MAX_ATTACHED_POLICIES} endpoints") == 1


def test_the_variants_of_an_endpoint_take_one_attachment(load_dev: LoadDev) -> None:
    variants = "".join(f"      v{number}: {{traffic_percent: 1}}\n" for number in range(9))
    load_dev(calling(APP) + f"    variants:\n{variants}" + _serverless(MAX_ATTACHED_POLICIES - 1))


def _serverless(count: int) -> str:
    one = {
        "kind": "serverless-endpoint",
        "model": {"preset": "resnet-50"},
        "container": {
            "images": {"cpu_x86_64": {"account": "763104351884", "repository": "r", "tag": "t"}},
            "artifact": {"key": "m/m.tar.gz"},
        },
        "request": {"images": 1},
        "traffic": {"peak_requests_per_second": 1, "average_requests_per_second": 0.1},
        "latency": {"max_p95_ms": 9000},
        "access": {"callers": [APP, PARTNER]},
    }
    return "".join(f"  e{number}: {json.dumps(one)}\n" for number in range(count))


def through_api(*arns: str, network: str = "") -> str:
    lines = "".join(f"          - {arn}\n" for arn in arns)
    return f"{network}workloads:\n  support-bert:\n    access:\n      api_gateway:\n        callers:\n{lines}"


@pytest.mark.parametrize(
    ("arns", "place", "reason"),
    [
        (["arn:aws-cn:iam::111122223333:role/app"], ".callers.0", "the role is in the partition aws-cn"),
        ([APP, "arn:aws:iam::111122223333:role/app"], ".callers.1", "is named twice, as a role has one path"),
        (
            [f"{DEEP}{n}" for n in range(50)],
            ".callers",
            "has 50 roles, which make a resource policy of ",
        ),
    ],
)
def test_callers_of_an_api_that_cannot_be(
    message_for: MessageFor, arns: list[str], place: str, reason: str
) -> None:
    message = message_for(through_api(*arns))
    assert f"  workloads.support-bert.access.api_gateway{place}\n" in message
    assert reason in message


def test_an_api_takes_roles_that_no_policy_is_attached_to(load_dev: LoadDev) -> None:
    role = "arn:aws:iam::111122223333:role/aws-reserved/sso.amazonaws.com/AWSReservedSSO_Dev_0123456789abcdef"
    load_dev(through_api(APP, PARTNER, role))


def test_an_api_needs_a_way_from_the_vpc(load_dev: LoadDev, message_for: MessageFor) -> None:
    network = "network: {interface_endpoints: [sagemaker.runtime, execute-api]}\n"
    load_dev(through_api(APP, network=network))
    message = message_for(through_api(APP, network=network.replace(", execute-api", "")))
    assert message.startswith("config/dev.yaml:5  workloads.support-bert.access.api_gateway\n")
    assert (
        "a private API is called through execute-api, which network.interface_endpoints does not list"
        in message
    )


def test_access_is_for_somebody(message_for: MessageFor) -> None:
    message = message_for("workloads: {support-bert: {access: {}}}\n")
    assert "workloads.support-bert.access.callers\n  is missing: name the roles" in message


def test_a_job_has_no_callers(message_for: MessageFor) -> None:
    message = message_for(calling(APP).replace("support-bert", "nightly-lora"))
    assert message.startswith("config/dev.yaml:3  workloads.nightly-lora.access\n")
