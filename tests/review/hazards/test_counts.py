import pytest

from tests.review.hazards.apps import described, endpoint_app, hazards, text

NOT_KEPT = {"RetainAllVariantProperties": None}
EXCLUDED = {"ExcludeRetainedVariantProperties": [{"VariantPropertyType": "DesiredInstanceCount"}]}


def test_counts_are_lost_when_they_are_kept_no_longer() -> None:
    assert described(hazards(endpoint_app(), endpoint_app(endpoint=NOT_KEPT))) == text("""
        warning counts-lost, dev/app-stack/Endpoint: endpoint assistant
        RetainAllVariantProperties true → none
        Each update with another configuration resets the number of instances (primary to 2 instances), whatever
            autoscaling had set. At peak these are too few until autoscaling has caught up.
        Keep RetainAllVariantProperties true, and leave DesiredInstanceCount out of
            ExcludeRetainedVariantProperties.
        """)


def test_counts_are_lost_when_they_are_excluded() -> None:
    (found,) = hazards(endpoint_app(), endpoint_app(endpoint=EXCLUDED))
    assert (found.rule, found.cause) == (
        "counts-lost",
        "DesiredInstanceCount is added to ExcludeRetainedVariantProperties",
    )


@pytest.mark.parametrize(
    ("base", "head"),
    [
        (endpoint_app(endpoint=NOT_KEPT), endpoint_app()),
        (endpoint_app(scaling=None), endpoint_app(scaling=None, endpoint=NOT_KEPT)),
        (endpoint_app(count=3), endpoint_app(count=2)),
        (
            endpoint_app(),
            endpoint_app(
                endpoint={"ExcludeRetainedVariantProperties": [{"VariantPropertyType": "DesiredWeight"}]}
            ),
        ),
        (
            endpoint_app(endpoint={"RetainAllVariantProperties": {"Ref": "Keep"}}),
            endpoint_app(endpoint={"RetainAllVariantProperties": {"Ref": "Keep2"}}),
        ),
    ],
)
def test_nothing_is_lost(base: dict[str, object], head: dict[str, object]) -> None:
    assert hazards(base, head, theme="counts") == ()


def test_an_update_without_keeping_sets_the_count_back() -> None:
    base = endpoint_app(endpoint=NOT_KEPT)
    assert described(
        hazards(base, endpoint_app(endpoint=NOT_KEPT, image="repository:2"), theme="counts")
    ) == text("""
        warning counts-lost, dev/app-stack/Endpoint: variant primary of endpoint assistant
        the endpoint gets another configuration without RetainAllVariantProperties
        The update sets the number of instances to InitialInstanceCount, 2. Autoscaling may have raised it to 4
            instances. At peak 2 is too few until autoscaling has caught up.
        Set RetainAllVariantProperties to true on the endpoint, or deploy at a quiet hour.
        """)
    assert hazards(base, endpoint_app(endpoint={**NOT_KEPT, "Tags": [{"Key": "a", "Value": "b"}]})) == ()


def test_a_lower_fixed_count_that_is_not_kept() -> None:
    base = endpoint_app(scaling=None, endpoint=NOT_KEPT, count=4)
    head = endpoint_app(scaling=None, endpoint=NOT_KEPT, count=3)
    assert described(hazards(base, head, theme="counts")) == text("""
        warning counts-lost, dev/app-stack/Endpoint: variant primary of endpoint assistant
        InitialInstanceCount 4 → 3
        The update sets the number to 3 instances, even if somebody had raised it by hand.
        Make sure that the remaining instances carry the peak traffic.
        """)
    assert hazards(head, base, theme="counts") == ()
