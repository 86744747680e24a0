from typing import Any

import pytest

from tests.review.hazards.apps import described, endpoint_app, hazards, rules, text


def app(first: Any, second: Any, **endpoint: Any) -> dict[str, Any]:
    variants = [
        {"VariantName": name, "ServerlessConfig": {}, "InitialVariantWeight": weight}
        for name, weight in (("a", first), ("b", second))
    ]
    given = {"RetainAllVariantProperties": None, **endpoint}
    return endpoint_app(scaling=None, config={"ProductionVariants": variants}, endpoint=given)


def test_another_variant_answers() -> None:
    assert described(hazards(app(1, 0), app(0, 1))) == text("""
        warning traffic-moved, dev/app-stack/Endpoint: endpoint assistant
        share of variant a 100% → 0% and share of variant b 0% → 100%
        After the update a variant gets its first requests, or another variant gets none any more.
        Make sure that each variant has the instances for its share before the update.
        """)


def test_other_shares() -> None:
    (found,) = hazards(app(1, 1), app(9, 1))
    assert (found.severity, found.cause) == (
        "warning",
        "share of variant a 50% → 90% and share of variant b 50% → 10%",
    )


def test_weights_that_the_endpoint_keeps_move_nothing() -> None:
    keeps = {"RetainAllVariantProperties": True}
    (found,) = hazards(app(1, 0, **keeps), app(0, 1, **keeps))
    assert found.severity == "notice"
    excluded = {**keeps, "ExcludeRetainedVariantProperties": [{"VariantPropertyType": "DesiredWeight"}]}
    assert [hazard.severity for hazard in hazards(app(1, 0, **excluded), app(0, 1, **excluded))] == [
        "warning"
    ]


@pytest.mark.parametrize(("first", "second"), [(2, 2), (1, {"Ref": "Weight"}), (0, 0)])
def test_the_same_shares_or_unknown_ones(first: Any, second: Any) -> None:
    assert "traffic-moved" not in rules(hazards(app(1, 1), app(first, second)))
