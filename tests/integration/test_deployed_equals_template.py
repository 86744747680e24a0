"""Given an environment deployed by ``cdk``, when its services are asked, then every property of every template is there.

CloudFormation says what a template came to (Cloud Control's ``GetResource``), a row for each resource type says which calls
show what the service made of it. What cannot be read back stands in ``losses.py``, with the reason, and nowhere else.
"""

import pytest

from sizewell_localcloud.cloud import LocalCloud
from tests.integration.harness import Deployment
from tests.integration.losses import GUIDE, LOSSES, coverage_table, covers, guide_table, is_known
from tests.integration.readers import READERS
from tests.integration.readers.compare import Difference, all_differences
from tests.integration.running import as_planned, running


@pytest.fixture(scope="session")
def found_differences(deployed: Deployment) -> tuple[Difference, ...]:
    """Every difference of an environment, found once."""
    return tuple(all_differences(deployed))


def test_given_a_deployed_template_then_each_service_shows_every_property(
    found_differences: tuple[Difference, ...],
) -> None:
    unknown = [found for found in found_differences if not is_known(found.resource_type, found.path)]
    assert not unknown, "\n".join(map(str, unknown))


def test_given_a_known_loss_then_it_is_still_lost(
    deployed: Deployment, found_differences: tuple[Difference, ...]
) -> None:
    declared = {
        (resource["Type"], name)
        for stack in deployed.stack_names
        for resource in deployed.template(stack)["Resources"].values()
        for name in resource.get("Properties", {})
    }
    stale = [
        f"{loss.resource_type} {loss.path}"
        for loss in LOSSES
        if (loss.resource_type, loss.path) in declared
        and (loss.on_aws or isinstance(deployed.cloud, LocalCloud))
        and not any(
            found.resource_type == loss.resource_type and covers(loss, found.path)
            for found in found_differences
        )
    ]
    assert not stale, f"not lost any more, so take it from tests/integration/losses.py: {', '.join(stale)}"


def test_given_a_planned_endpoint_then_it_is_in_service_with_its_instances(deployed: Deployment) -> None:
    for endpoint in deployed.plan.endpoints:
        expected = as_planned(endpoint) | {"count": endpoint.initial_instance_count}
        assert expected.items() <= running(deployed, endpoint).items(), endpoint.name


def test_given_a_foundation_then_its_topic_sends_to_the_planned_people(deployed: Deployment) -> None:
    plan = deployed.plan
    topic_arn = f"arn:aws:sns:{plan.region}:{plan.account}:{plan.foundation.alarm_topic_name}"
    found = deployed.client("sns").list_subscriptions_by_topic(TopicArn=topic_arn)["Subscriptions"]
    addresses = sorted((subscription["Protocol"], subscription["Endpoint"]) for subscription in found)
    assert addresses == sorted(("email", address) for address in plan.foundation.alarm_emails)


def test_given_a_new_network_then_no_packet_finds_a_way_to_the_internet(deployed: Deployment) -> None:
    ec2 = deployed.client("ec2")
    named = {"Name": "tag:aws:cloudformation:stack-name", "Values": [deployed.plan.foundation.stack_name]}
    (vpc,) = ec2.describe_vpcs(Filters=[named])["Vpcs"]
    tables = ec2.describe_route_tables(Filters=[{"Name": "vpc-id", "Values": [vpc["VpcId"]]}])["RouteTables"]
    ways = {route["GatewayId"] for table in tables for route in table["Routes"]}
    assert {way for way in ways if not way.startswith("vpce-")} == {"local"}


def test_every_known_loss_is_of_a_type_that_is_read_back() -> None:
    assert {loss.resource_type for loss in LOSSES} <= set(READERS)


def test_the_guide_shows_the_table_of_what_the_local_cloud_covers() -> None:
    assert guide_table() == coverage_table(), (
        f"put this between the markers of {GUIDE.name} (python -m tests.integration.losses):\n{coverage_table()}"
    )
