"""Accounts and regions beside those of the policy: what is refused, and what belongs to which."""

from collections.abc import Callable
from typing import Any

import pytest

LoadDev = Callable[[str], Any]
MessageFor = Callable[[str], str]

AT_EU = "workloads: {support-bert: {place: eu}}\n"
BOUNDARY = "arn:aws:iam::111122223333:policy/company/boundary"


def eu(keys: str = "region: eu-west-1") -> str:
    return f"places: {{eu: {{{keys}, network: {{mode: new}}}}}}\n"


def test_a_part_is_an_environment_of_that_account_and_region(load_dev: LoadDev) -> None:
    boundary = f"policy: {{permissions_boundary_arn: '{BOUNDARY}'}}\n"
    there = AT_EU.replace(
        "{place: eu}", "{place: eu, container: {images: {cuda: {account: '222233334444'}}}}"
    )
    environment = load_dev(eu("account: '222233334444', region: cn-north-1") + there + boundary).environment
    parts = dict(environment.parts())
    assert {name: list(part.workloads) for name, part in parts.items()} == {
        None: ["nightly-lora"],
        "eu": ["support-bert"],
    }
    policy = parts["eu"].policy
    assert (policy.account, policy.region) == ("222233334444", "cn-north-1")
    assert policy.permissions_boundary_arn == "arn:aws-cn:iam::222233334444:policy/company/boundary"
    assert parts[None].policy == environment.policy


def test_roles_of_a_bootstrap_are_those_of_the_account(load_dev: LoadDev) -> None:
    role = "bootstrap: {deploy_role_arn: 'arn:aws:iam::111122223333:role/company/deploy'}\n"
    environment = load_dev(eu("account: '222233334444'") + AT_EU + role).environment
    assert environment.part("eu").bootstrap.role_arns == {
        "deploy_role_arn": "arn:aws:iam::222233334444:role/company/deploy"
    }


def test_a_boundary_of_aws_itself_is_in_every_account(load_dev: LoadDev) -> None:
    boundary = "policy: {permissions_boundary_arn: 'arn:aws:iam::aws:policy/PowerUserAccess'}\n"
    environment = load_dev(eu("account: '222233334444'") + AT_EU + boundary).environment
    assert environment.part("eu").policy.permissions_boundary_arn == "arn:aws:iam::aws:policy/PowerUserAccess"


@pytest.mark.parametrize(
    ("text", "path", "reason"),
    [
        (eu(), "places.eu", "no workload runs here; write place: eu at one, or remove it"),
        (
            eu("region: us-east-1") + AT_EU,
            "places.eu",
            "account 111122223333 and region us-east-1 are those of the policy",
        ),
        (
            eu() + "workloads: {support-bert: {place: eu}, nightly-lora: {place: eus}}\n",
            "workloads.nightly-lora.place",
            "there is no place eus; did you mean eu?",
        ),
        (
            "workloads: {support-bert: {place: eu}}\n",
            "workloads.support-bert.place",
            "there is no place eu; there are no places",
        ),
        (
            eu() + AT_EU + "bootstrap: {file_assets_bucket_name: company-assets}\n",
            "bootstrap.file_assets_bucket_name",
            "is one bucket of one region, and there are places",
        ),
        (
            eu() + "workloads: {support-bert: {place: eu}, nightly-lora: {place: eu}}\n",
            "policy.region",
            "every workload runs in one of the places",
        ),
    ],
)
def test_places_that_mean_nothing(message_for: MessageFor, text: str, path: str, reason: str) -> None:
    message = message_for(text)
    assert path in message
    assert reason in message


def test_what_is_wrong_in_a_place_is_told_there(message_for: MessageFor) -> None:
    zones = "availability_zone_ids: [use1-az1, use1-az2]"
    network = f"places: {{eu: {{region: eu-west-1, network: {{mode: new, {zones}}}}}}}\n"
    message = message_for(network + AT_EU)
    assert "places.eu.network.availability_zone_ids.0" in message
    assert "use1-az1 is no zone of eu-west-1" in message


def test_production_is_heard_in_every_place(message_for: MessageFor) -> None:
    topic = "arn:aws:sns:us-east-1:111122223333:alarms"
    text = (
        "policy: {production: true, min_endpoint_instances: 2, min_availability_zones: 2}\n"
        f"existing: {{alarm_topic_arn: '{topic}'}}\n"
    )
    assert "nobody hears of an alarm in production" in message_for(text + eu() + AT_EU)


def test_what_holds_in_every_place_is_told_once(message_for: MessageFor) -> None:
    text = "policy: {production: true, min_endpoint_instances: 2, min_availability_zones: 2}\n"
    assert message_for(text + eu() + AT_EU).count("nobody hears of an alarm in production") == 1


def test_a_lifetime_may_have_an_effect_in_another_place(load_dev: LoadDev) -> None:
    load_dev(
        eu()
        + AT_EU
        + "existing: {checkpoint_bucket: company-checkpoints}\nstorage: {checkpoint_expiry_days: 3}\n"
    )
