from itertools import product
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from sizewell.review.comparison import EnvironmentPair
from sizewell.review.model import Grant
from sizewell.review.security import compare_security
from sizewell.review.security.rule import StackChange
from sizewell.templates.alternatives import Guard, Guards, always, simplified
from sizewell.templates.iam.changes import permission_changes
from sizewell.templates.iam.conditions import implies
from sizewell.templates.iam.permissions import Coverage, Permission, principal_covers, term_covers
from sizewell.templates.iam.statements import document_permissions
from tests.review.builders import pair, resource, template

patterns = st.sampled_from(["*", "s3:*", "s3:Get*", "s3:GetObject", "s3:?et*", "iam:PassRole", "${T}"])
resources = st.sampled_from(["*", "${B.Arn}", "${B.Arn}/*", "${B.Arn}/x", "arn:aws:s3:::b"])
condition = st.sampled_from(
    [
        {},
        {"StringEquals": {"k": ["a"]}},
        {"StringLike": {"k": ["a*"]}},
        {"StringNotEquals": {"k": ["a", "b"]}},
        {"Bool": {"l": ["true"]}},
    ]
)


def _statement(effect: str, negated: bool, actions: list[str], on: list[str], when: Any) -> dict[str, Any]:
    return {
        "Effect": effect,
        "NotAction" if negated else "Action": actions,
        "Resource": on,
        "Condition": when,
    }


def statements(effects: tuple[str, ...] = ("Allow", "Deny")) -> st.SearchStrategy[dict[str, Any]]:
    plain = plain_statements(effects)
    return st.one_of(plain, st.builds(_choice, st.sampled_from("CD"), plain, st.one_of(plain, st.none())))


def _choice(name: str, yes: Any, no: Any) -> dict[str, Any]:
    return {"Fn::If": [name, yes, {"Ref": "AWS::NoValue"} if no is None else no]}


def plain_statements(effects: tuple[str, ...]) -> st.SearchStrategy[dict[str, Any]]:
    return st.builds(
        _statement,
        st.sampled_from(effects),
        st.booleans(),
        st.lists(patterns, min_size=1, max_size=3),
        st.lists(resources, min_size=1, max_size=2),
        condition,
    )


policies = st.lists(statements(), max_size=3)


def roles(statements_: list[dict[str, Any]]) -> dict[str, Any]:
    policy = {"PolicyName": "p", "PolicyDocument": {"Statement": statements_}}
    return template(Role=resource("AWS::IAM::Role", {"Policies": [policy]}))


def compared(base: list[dict[str, Any]], head: list[dict[str, Any]]) -> EnvironmentPair:
    return pair(roles(base), roles(head))


def grants(pair_: EnvironmentPair, direction: str) -> list[tuple[Grant, ...]]:
    return [change.grants for change in compare_security(pair_).iam if change.direction == direction]


@given(policies)
def test_the_same_is_no_change(same: list[dict[str, Any]]) -> None:
    security = compare_security(compared(same, [dict(reversed(s.items())) for s in reversed(same)]))
    assert security.iam == ()
    assert security.others == ()


@given(policies, policies)
def test_what_one_way_broadens_narrows_the_other_way(
    base: list[dict[str, Any]], head: list[dict[str, Any]]
) -> None:
    def permissions(one: EnvironmentPair, direction: str) -> set[Any]:
        stack = StackChange(one.stacks[0])
        changes = permission_changes(stack.base_policies, stack.head_policies)
        return {p for c in changes for p in getattr(c, direction)}

    there, back = compared(base, head), compared(head, base)
    assert permissions(there, "broadened") == permissions(back, "narrowed")
    assert permissions(there, "narrowed") == permissions(back, "broadened")


@given(policies, statements(("Allow",)))
def test_one_more_permission_narrows_nothing(base: list[dict[str, Any]], more: dict[str, Any]) -> None:
    assert grants(compared(base, [*base, more]), "narrowed") == []


@given(policies, statements(("Deny",)))
def test_one_more_denial_broadens_nothing(base: list[dict[str, Any]], more: dict[str, Any]) -> None:
    assert grants(compared(base, [*base, more]), "broadened") == []


def permission_covers(wide: Permission, narrow: Permission) -> bool:
    """Whether one permission of the same effect says for certain all that another does: what ``Coverage`` does for many."""
    return (
        wide.effect == narrow.effect
        and term_covers(wide.action, narrow.action)
        and term_covers(wide.resource, narrow.resource)
        and principal_covers(wide.principal, narrow.principal)
        and set(wide.guards) <= set(narrow.guards)
        and implies(narrow.condition, wide.condition)
    )


@given(st.lists(statements(), min_size=3, max_size=3))
def test_covering_is_reflexive_and_transitive(three: list[dict[str, Any]]) -> None:
    first, second, third = (list(document_permissions({"Statement": [s]})) for s in three)
    assert all(permission_covers(p, p) for p in first)
    for a in first:
        for b in second:
            if permission_covers(a, b):
                for c in third:
                    assert not permission_covers(b, c) or permission_covers(a, c)


@given(policies, policies)
def test_many_at_once_are_covered_as_each_of_them_is(
    base: list[dict[str, Any]], head: list[dict[str, Any]]
) -> None:
    for effect in ("Allow", "Deny"):
        wide = [p for p in document_permissions({"Statement": base}) if p.effect == effect]
        together = Coverage(wide)
        for narrow in document_permissions({"Statement": head}):
            if narrow.effect == effect and any(permission_covers(one, narrow) for one in wide):
                assert together.covers(narrow)
            elif narrow.effect == effect and not any(one.guards for one in wide):
                assert not together.covers(narrow)


guards = st.dictionaries(st.sampled_from("ABC"), st.booleans()).map(
    lambda flags: tuple(Guard(name, flags[name]) for name in sorted(flags))
)


@given(st.sets(guards, min_size=1, max_size=6))
def test_simpler_cases_are_the_same_cases(cases: set[Guards]) -> None:
    simple = simplified(cases)
    for flags in product((True, False), repeat=3):
        known = {*map(Guard, "ABC", flags)}
        assert any(known.issuperset(c) for c in cases) == any(known.issuperset(c) for c in simple)
    assert all(always(simple, case) for case in cases)
