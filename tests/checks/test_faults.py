"""Every rule finds its fault, says it in these words, and finds nothing else."""

import pytest

from sizewell.checks import RULE_IDS, OfferedTypes, check_template
from tests.checks.faults import FAULTS

OFFERED = OfferedTypes(
    "eu-north-1",
    hosting=frozenset({"ml.g5.xlarge", "ml.t2.medium", "ml.t3.large"}),
    training=frozenset({"ml.g5.xlarge"}),
)


@pytest.mark.parametrize("name", FAULTS)
def test_a_faulty_template_has_one_finding(name: str) -> None:
    template, finding = FAULTS[name]
    assert check_template(template, OFFERED) == (finding,)


def test_every_rule_has_a_fault() -> None:
    assert {finding.rule_id for _, finding in FAULTS.values()} == set(RULE_IDS)
    assert len(set(RULE_IDS)) == len(RULE_IDS)


def test_offers_are_judged_only_where_they_are_known() -> None:
    for template, finding in FAULTS.values():
        expected = () if finding.rule_id == "instance-offered" else (finding,)
        assert check_template(template) == expected


def test_the_order_of_resources_does_not_matter() -> None:
    alarms = {
        f"{logical_id}{index}": resource
        for index, (template, _) in enumerate(FAULTS.values())
        for logical_id, resource in template["Resources"].items()
        if resource["Type"] == "AWS::CloudWatch::Alarm"
    }
    turned = dict(reversed(alarms.items()))
    found = check_template({"Resources": alarms})
    assert len(found) > 10
    assert sorted(check_template({"Resources": turned})) == sorted(found)
