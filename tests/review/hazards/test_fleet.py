import pytest

from tests.review.hazards.apps import described, endpoint_app, hazards, rules, text

TAGS = [{"Key": "team", "Value": "search"}]
ROLLING = {"RollingUpdatePolicy": {"MaximumBatchSize": {"Type": "CAPACITY_PERCENT", "Value": 50}}}


def test_a_blue_green_update_doubles_the_fleet() -> None:
    base, head = endpoint_app(scaling=None), endpoint_app(scaling=None, config={"KmsKeyId": "key"})
    assert described(hazards(base, head)) == text("""
        warning fleet-doubled, dev/app-stack/Endpoint: endpoint assistant
        a blue/green update brings a new endpoint configuration
        Both fleets run and cost money until the old one is deleted. The account needs up to 4 instances of
            ml.g5.xlarge at the same time. The review does not know the quotas of the account. Above them, or
            without capacity, the update fails and rolls back.
        Compare with ml.g5.xlarge for endpoint usage in Service Quotas.
        """)


def test_each_type_has_a_quota_and_the_scarce_one_is_named() -> None:
    (found,) = hazards(endpoint_app(), endpoint_app(instance_type="ml.p5.48xlarge"), theme="fleet")
    assert (
        "up to 4 instances of ml.g5.xlarge and 4 instances of ml.p5.48xlarge at the same" in found.consequence
    )
    assert found.what_to_do.endswith(
        "ml.p5.48xlarge is scarce: reserve capacity, or use RollingUpdatePolicy."
    )


def test_a_rolling_update_needs_only_a_batch() -> None:
    base = endpoint_app(endpoint={"DeploymentConfig": ROLLING})
    head = endpoint_app(endpoint={"DeploymentConfig": ROLLING}, image="repository:2")
    assert described(hazards(base, head, theme="fleet")) == text("""
        notice fleet-doubled, dev/app-stack/Endpoint: endpoint assistant
        a rolling update brings a new endpoint configuration
        One batch of new instances runs beside the old ones. The account needs up to 6 instances of ml.g5.xlarge at
            the same time. The review does not know the quotas of the account. Above them, or without capacity, the
            update fails and rolls back.
        Compare with ml.g5.xlarge for endpoint usage in Service Quotas.
        """)


def test_unknown_bounds_are_not_zero() -> None:
    base = endpoint_app(scaling=None, variant_properties={"InitialInstanceCount": {"Ref": "Count"}})
    head = endpoint_app(
        scaling=None, variant_properties={"InitialInstanceCount": {"Ref": "Count"}}, image="r:2"
    )
    (found,) = hazards(base, head, theme="fleet")
    assert "up to an unknown number of instances of ml.g5.xlarge" in found.consequence


@pytest.mark.parametrize("scaling", ["switched", "native", None])
def test_without_another_configuration_there_is_no_second_fleet(scaling: str | None) -> None:
    base, head = endpoint_app(scaling=scaling), endpoint_app(scaling=scaling, endpoint={"Tags": TAGS})
    assert hazards(base, head) == ()


def test_a_serverless_variant_has_no_fleet() -> None:
    serverless = {
        "InstanceType": None,
        "InitialInstanceCount": None,
        "ServerlessConfig": {"MaxConcurrency": 5},
    }
    base = endpoint_app(scaling=None, variant_properties=serverless)
    head = endpoint_app(scaling=None, variant_properties=serverless, config={"KmsKeyId": "key"})
    assert rules(hazards(base, head)) == []
