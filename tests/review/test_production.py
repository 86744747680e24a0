"""What serves users: the plan or the configuration says so, else the reviewer; a name says nothing."""

import pytest

from sizewell.review.comparison import EnvironmentPair, pair_environments
from sizewell.review.saved.output import Assembly, SavedOutput
from tests.review.builders import assembly, resource, stack, template
from tests.review.hazards.apps import plan

ROLE = stack(template(Role=resource("AWS::IAM::Role")))


def silent(name: str) -> Assembly:
    return assembly(ROLE, environment=name, config=None)


@pytest.mark.parametrize("name", ["prod", "production", "dev"])
@pytest.mark.parametrize(("said", "expected"), [(None, True), (True, True), (False, False)])
def test_where_nothing_says_it_the_reviewer_does(name: str, said: bool | None, expected: bool) -> None:
    assert EnvironmentPair(name, silent(name), silent(name), said).production is expected


@pytest.mark.parametrize("name", ["prod", "live"])
@pytest.mark.parametrize("production", [True, False])
def test_the_configuration_goes_before_the_name_and_the_reviewer(name: str, production: bool) -> None:
    config = {"schema_version": 1, "environment": {"policy": {"production": production}}}
    side = assembly(ROLE, environment=name, config=config)
    assert EnvironmentPair(name, None, side, not production).production is production
    either = EnvironmentPair(name, silent(name), side)
    assert either.production is production


def test_the_plan_goes_first() -> None:
    config = {"schema_version": 1, "environment": {"policy": {"production": True}}}
    side = assembly(ROLE, config=config, plan=plan("dev"))
    assert not EnvironmentPair("dev", side, side).production


def test_production_comes_first() -> None:
    sides = SavedOutput("x", {name: silent(name) for name in ("a", "prod")})
    assert [pair.name for pair in pair_environments(sides, sides, {"prod"})] == ["prod", "a"]
    assert [pair.name for pair in pair_environments(sides, sides, {"a"})] == ["a", "prod"]
