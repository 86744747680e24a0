"""A construct is told by name what the plan decided, and never gets a part of the plan itself."""

from dataclasses import dataclass

import pytest

from sizewell.planning.workload_plan import PlanModel
from sizewell.stacks.workload_stack import PlanAsPropertyError, props_of

pytestmark = pytest.mark.cdk


class Wheel(PlanModel):
    size_mm: int


class Cart(PlanModel):
    name: str
    load_kg: int = 3
    wheels: tuple[Wheel, ...] = ()
    price_usd: float = 10.0


@dataclass(frozen=True)
class CartProps:
    name: str
    load_kg: int
    colour: str = "red"


@dataclass(frozen=True)
class WheeledProps(CartProps):
    wheels: tuple[int, ...] = ()


def test_what_has_the_same_name_is_taken_unless_it_is_given() -> None:
    assert props_of(CartProps, Cart(name="a")) == CartProps("a", 3, "red")
    assert props_of(CartProps, Cart(name="a"), load_kg=5, colour="blue") == CartProps("a", 5, "blue")


def test_what_is_in_neither_is_missing() -> None:
    with pytest.raises(TypeError, match="name"):
        props_of(CartProps, Wheel(size_mm=1), load_kg=1)


def test_a_part_of_the_plan_is_refused() -> None:
    cart = Cart(name="a", wheels=(Wheel(size_mm=1),))
    with pytest.raises(PlanAsPropertyError, match=r"WheeledProps\.wheels"):
        props_of(WheeledProps, cart)
    assert props_of(WheeledProps, cart, wheels=(1,)).wheels == (1,)
