from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from sizewell.review.comparison import EnvironmentPair
from sizewell.review.cost import compare_costs
from sizewell.review.cost.registry import PRICERS
from sizewell.review.model import CostSide, EnvironmentCost, Range
from sizewell.review.saved.output import Assembly
from tests.review.builders import assembly, resource, stack, template
from tests.review.cost.plans import endpoint_template

SIDES = ("minimum", "expected", "maximum")
TOLERANCE = 0.001
#: The first example loads the catalog.
law = settings(max_examples=50)

counts = st.integers(0, 4) | st.just({"Ref": "Count"})
instance_types = st.sampled_from(["ml.g5.xlarge", "ml.g4dn.xlarge", "ml.made-up.large"])


@st.composite
def endpoints(draw: st.DrawFn) -> dict[str, Any]:
    low, more = draw(st.integers(0, 3)), draw(st.integers(0, 3))
    managed = {"MinInstanceCount": low, "MaxInstanceCount": low + more}
    variants: list[dict[str, Any]] = [{}, {"ManagedInstanceScaling": managed}, {"VolumeSizeInGB": 30}]
    variant = draw(st.sampled_from(variants))
    return endpoint_template(draw(instance_types), draw(counts), variant=variant)


@st.composite
def others(draw: st.DrawFn) -> dict[str, Any]:
    types = draw(
        st.lists(st.sampled_from([*sorted(PRICERS), "AWS::RDS::DBInstance", "AWS::IAM::Role"]), max_size=5)
    )
    return template(**{f"R{i}": resource(name, {"Period": 60}) for i, name in enumerate(types)})


@st.composite
def sides(draw: st.DrawFn) -> Assembly:
    templates = draw(st.dictionaries(st.sampled_from("abcd"), endpoints() | others(), max_size=4))
    return assembly(*(stack(written, name) for name, written in templates.items()))


def values(usd: Range) -> list[float | None]:
    return [getattr(usd, side) for side in SIDES]


def all_ranges(cost: EnvironmentCost) -> list[Range]:
    bills = [side for one in cost.workloads for side in (one.base, one.head) if isinstance(side, CostSide)]
    lines = [component.usd_per_month for bill in bills for component in bill.components]
    return [*lines, *(bill.usd_per_month for bill in bills), *(usd for usd in (cost.base, cost.head) if usd)]


@law
@given(sides(), sides())
def test_the_total_is_the_sum_of_the_workloads(base: Assembly, head: Assembly) -> None:
    cost = compare_costs(EnvironmentPair("dev", base, head))
    ranges = [one.head.usd_per_month for one in cost.workloads if one.head]
    costs_anything = any(value for usd in ranges for value in values(usd))
    for side in SIDES:
        parts = [getattr(usd, side) for usd in ranges]
        total = getattr(cost.head, side)
        assert (total or 0.0) == sum(part for part in parts if part is not None) or abs(
            (total or 0.0) - sum(part for part in parts if part is not None)
        ) < TOLERANCE
        assert (total is None) == (None in parts and not costs_anything)


@law
@given(sides(), sides())
def test_the_least_is_at_most_what_is_expected_and_that_at_most_the_most(
    base: Assembly, head: Assembly
) -> None:
    for usd in all_ranges(compare_costs(EnvironmentPair("dev", base, head))):
        known = [value for value in values(usd) if value is not None]
        assert len(known) in (0, 3)
        assert known == sorted(known)


@law
@given(sides(), sides())
def test_comparing_backwards_gives_the_opposite(base: Assembly, head: Assembly) -> None:
    forwards = compare_costs(EnvironmentPair("dev", base, head))
    backwards = compare_costs(EnvironmentPair("dev", head, base))
    assert (forwards.base, forwards.head) == (backwards.head, backwards.base)
    by_name = {one.workload: one for one in backwards.workloads}
    for one in forwards.workloads:
        other = by_name[one.workload].difference
        for value, opposite in zip(values(one.difference), values(other), strict=True):
            assert (value is None) == (opposite is None)
            assert value is None or opposite is None or abs(value + opposite) < TOLERANCE


@law
@given(sides())
def test_a_side_compared_with_itself_has_no_difference(side: Assembly) -> None:
    cost = compare_costs(EnvironmentPair("dev", side, side))
    assert cost.base == cost.head
    for one in cost.workloads:
        assert set(values(one.difference)) <= {0.0, None}
        assert not one.causes
        assert not one.once


scalars = st.none() | st.booleans() | st.integers(-5, 5) | st.text(max_size=5)
odd = st.recursive(
    scalars | st.sampled_from([{"Ref": "X"}, {"Fn::If": ["C", 1, {"Ref": "AWS::NoValue"}]}]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)
NAMES = [
    "VpcEndpointType",
    "SubnetIds",
    "LogDestinationType",
    "Period",
    "Metrics",
    "ThresholdMetricId",
    "PolicyType",
    "Variants",
    "Tier",
    "FifoQueue",
    "Architectures",
    "StateMachineType",
    "EventBusName",
    "EndpointConfigName",
    "EndpointName",
    "ProductionVariants",
    "LogGroupClass",
    "ProvisionedConcurrencyConfig",
    "DeploymentConfig",
    "DataCaptureConfig",
]


@law
@given(st.sampled_from(sorted(PRICERS)), st.dictionaries(st.sampled_from(NAMES), odd, max_size=4))
def test_no_value_of_a_template_is_too_odd(resource_type: str, properties: dict[str, Any]) -> None:
    written = template(One=resource(resource_type, properties))
    cost = compare_costs(
        EnvironmentPair("dev", assembly(stack(template())), assembly(stack(written, "app-stack")))
    )
    assert cost.not_priced == ()


@law
@given(odd)
def test_no_variant_is_too_odd(variant: Any) -> None:
    written = endpoint_template()
    written["Resources"]["Config"]["Properties"]["ProductionVariants"] = [variant]
    compare_costs(EnvironmentPair("dev", assembly(stack(endpoint_template())), assembly(stack(written))))
