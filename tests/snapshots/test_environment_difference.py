"""A difference loses nothing: the templates can be restored from it."""

import json
from typing import Any

from hypothesis import example, given
from hypothesis import strategies as st

from tests.snapshots.environment_difference import describe_difference, restore

# Few keys and values, so that the two sides often have the same ones: and of those that Python or a reader takes for another.
keys = st.sampled_from(["A", "Fn::GetAtt", "a/b", "a b: ", "a:", "%2F", "", "0", "dev", "é -> \n"])
scalars = st.sampled_from(
    [0, 1, 1.0, True, False, None, "", "1", "prod", "x-prod-1", "production", '" -> "', "\n\n~ A"]
)
values = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(keys, inner, max_size=3),
    max_leaves=12,
)
#: The first stack has the same property on both sides, so that all kinds of values meet each other.
templates = st.builds(
    lambda value, others: {"demo-dev-one": {"A": value}, **others},
    values,
    st.dictionaries(
        st.sampled_from(["demo-prod-one", "two"]), st.dictionaries(keys, values, min_size=1, max_size=3)
    ),
)
WORDS = {"prod": "dev", "333344445555": "111122223333"}


def one(value: object) -> dict[str, Any]:
    return {"demo-dev-one": {"A": value}}


@example(one(1), one(True))
@example(one(1), one(1.0))
@example(one([0]), one([False]))
@example(one(["a", {"b": 1}]), one(["a"]))
@example(one([]), one({}))
@given(templates, templates)
def test_the_templates_can_be_restored(ours: dict[str, Any], theirs: dict[str, Any]) -> None:
    restored = restore(describe_difference(ours, theirs, WORDS), theirs)
    # As text: to Python, 1 and True are the same.
    assert json.dumps(restored, sort_keys=True) == json.dumps(ours, sort_keys=True)


def test_a_difference_can_be_read() -> None:
    prod = {
        "demo-prod-chat": {
            "Resources": {
                "Alarm": {"Properties": {"AlarmName": "demo-prod-chat-Errors", "Tags": "production, reprod"}},
                "Config": {"Properties": {"Variants": [{"Count": "2", "Type": "ml.g5.xlarge"}]}},
                "Schedule": {"Type": "AWS::Scheduler::Schedule"},
            }
        }
    }
    dev = {
        "demo-dev-chat": {
            "Resources": {
                "Alarm": {"Properties": {"AlarmName": "demo-dev-chat-Errors", "Tags": "production, reprod"}},
                "Config": {"Properties": {"Variants": [{"Count": "1", "Type": "ml.g5.xlarge"}]}},
                "Queue": {"Type": "AWS::SQS::Queue"},
            }
        }
    }
    assert describe_difference(dev, prod, WORDS) == (
        "prod -> dev\n"
        "333344445555 -> 111122223333\n"
        "\n"
        "demo-dev-chat\n"
        '~ Resources/Config/Properties/Variants/0/Count: "2" -> "1"\n'
        '+ Resources/Queue/Type: "AWS::SQS::Queue"\n'
        "- Resources/Schedule\n"
    )
