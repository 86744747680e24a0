"""Quotas that workloads use up."""

from sizewell.facts.quotas import instance_quotas, instances_in


def test_variants_of_an_endpoint_run_together_and_a_training_is_on_spot_or_on_demand() -> None:
    variants = (
        *instance_quotas("endpoint", {"ml.g5.xlarge": 4}),
        *instance_quotas("endpoint", {"ml.g6.xlarge": 2}),
    )
    assert instances_in(variants) == 6
    # Each type of a pool can replace the others.
    assert instances_in(instance_quotas("endpoint", {"ml.g5.xlarge": 4, "ml.g6.xlarge": 4})) == 4
    training = (
        *instance_quotas("spot training job", {"ml.g5.xlarge": 2}),
        *instance_quotas("training job", {"ml.g5.xlarge": 2}),
        *instance_quotas("training warm pool", {"ml.g5.xlarge": 2}),
    )
    assert instances_in(training) == 2
    assert instances_in(()) == 0
