"""Clusters beside what the configuration says of them."""

from collections.abc import Mapping
from typing import Any

import pytest

from sizewell.account.before.clusters import CLUSTERS
from sizewell.account.finding import Outcome
from tests.account.builders import Call, Refusal, ScriptedAccount, example, findings

AGENT = {"addons": ["eks-pod-identity-agent", "coredns"]}


def outcomes(
    cluster: Mapping[str, Any] | Refusal, addons: Mapping[str, Any] | None = AGENT
) -> dict[str, Outcome]:
    answer = cluster if isinstance(cluster, Refusal) else {"cluster": cluster}
    calls: list[Call] = [("describe_cluster", answer, {"name": "company-ml"})]
    calls += [("list_addons", addons)] if addons is not None else []
    found = findings(CLUSTERS, example("eks-deployment"), ScriptedAccount({"eks": calls}))
    return {finding.subject: finding.outcome for finding in found}


def test_a_cluster_that_is_as_stated_passes() -> None:
    assert outcomes({"status": "ACTIVE", "version": "1.35"}) == {
        "company-ml": Outcome.PASS,
        "company-ml: pod-identity-agent": Outcome.PASS,
    }


@pytest.mark.parametrize(
    ("cluster", "outcome"),
    [
        ({"status": "ACTIVE", "version": "1.34"}, Outcome.WARN),
        ({"status": "UPDATING", "version": "1.35"}, Outcome.PASS),
        ({"status": "FAILED", "version": "1.35"}, Outcome.FAIL),
    ],
)
def test_status_and_version_are_looked_at(cluster: dict[str, str], outcome: Outcome) -> None:
    assert outcomes(cluster)["company-ml"] is outcome


def test_an_addon_that_eks_did_not_install_may_be_of_helm() -> None:
    found = outcomes({"status": "ACTIVE", "version": "1.35"}, {"addons": ["coredns"]})
    assert found["company-ml: pod-identity-agent"] is Outcome.WARN


def test_auto_mode_must_be_as_stated_and_brings_the_agent() -> None:
    cluster = {"status": "ACTIVE", "version": "1.35", "computeConfig": {"enabled": True}}
    assert outcomes(cluster, None) == {"company-ml": Outcome.PASS, "company-ml: nodes": Outcome.WARN}


def test_a_cluster_that_is_missing_fails_and_nothing_more_is_asked() -> None:
    assert outcomes(Refusal("ResourceNotFoundException"), None) == {"company-ml": Outcome.FAIL}


@pytest.mark.parametrize(
    ("clusters", "outcome"),
    [([{"status": "ACTIVE"}], Outcome.PASS), ([{"status": "INACTIVE"}], Outcome.FAIL), ([], Outcome.FAIL)],
)
def test_a_cluster_of_ecs_must_be_active(clusters: list[dict[str, str]], outcome: Outcome) -> None:
    asked = {"clusters": ["company-web"]}
    aws = ScriptedAccount({"ecs": [("describe_clusters", {"clusters": clusters}, asked)]})

    (finding,) = findings(CLUSTERS, example("ecs-service"), aws)
    assert finding.outcome is outcome


def test_aws_batch_needs_no_cluster() -> None:
    assert findings(CLUSTERS, example("batch-job"), ScriptedAccount({})) == []
