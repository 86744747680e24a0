"""What is written for each kind of workload in a cluster: it has the schema of its kind, is legal, and fits each type of node."""

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import kubernetes_validate
import pytest
import yaml

from sizewell.config.environment import Environment
from sizewell.instance_selection import load_catalog
from sizewell.kinds.registry import facet
from sizewell.planning.kind import PlanKind
from sizewell.targets.eks.proof import unsound
from tests.planning.builders import container
from tests.targets.eks.builders import (
    auto_mode,
    cluster,
    foundation,
    in_cluster,
    manifests,
    plan_of,
    pods_on_each_type,
    queued,
    trained_in_cluster,
    transformed_in_cluster,
)

FIELDS = yaml.safe_load(Path(__file__).with_name("custom_resource_fields.yaml").read_text("utf-8"))
HAS = [*cluster()["has"], "interruption-queue"]
CLUSTERS = {
    "karpenter": cluster(has=HAS),
    "auto mode": auto_mode(has=["keda", "prometheus", "kube-state-metrics", "network-policies"]),
    "as another user": cluster(has=HAS, pod_security="restricted"),
}
KINDS: tuple[Callable[..., Environment], ...] = (
    in_cluster,
    queued,
    trained_in_cluster,
    transformed_in_cluster,
)
#: Whose server starts as any user.
OWN_IMAGE = {"account": "111122223333", "repository": "own-server", "tag": "1.0"}
OWN_CONTAINER = container(
    artifact={"key": "models/plants/model.tar.gz"}, images=dict.fromkeys(container()["images"], OWN_IMAGE)
)
#: The oldest version that is still supported on the day of the facts, and the newest of which there is a schema.
VERSIONS = ("1.32", "1.37")


@pytest.fixture(params=CLUSTERS)
def described(request: pytest.FixtureRequest) -> dict[str, Any]:
    return CLUSTERS[request.param]


def environment_of(of_kind: Callable[..., Environment], described: dict[str, Any]) -> Environment:
    """Return an environment whose image starts as the user that the cluster demands."""
    needs_own = described["pod_security"] == "restricted" and of_kind is not trained_in_cluster
    return of_kind(described, **({"container": OWN_CONTAINER} if needs_own else {}))


@pytest.mark.parametrize("of_kind", KINDS)
def test_each_object_has_the_schema_of_its_kind(
    of_kind: Callable[..., Environment], described: dict[str, Any]
) -> None:
    for manifest in manifests(environment_of(of_kind, described)).values():
        if manifest["kind"] in FIELDS:
            assert list(unknown({"spec": manifest["spec"]}, FIELDS[manifest["kind"]])) == []
        else:
            for version in VERSIONS:
                kubernetes_validate.validate(manifest, version, strict=True)


def unknown(value: Any, known: Any, path: str = "") -> Iterator[str]:
    """Yield the paths of fields that a table does not have."""
    if known == "*":
        return
    if isinstance(value, list):
        for item in value:
            yield from unknown(item, known, path)
    elif isinstance(value, Mapping):
        table = dict.fromkeys(known) if isinstance(known, list) else known or {}
        for key, inner in value.items():
            if key not in table:
                yield f"{path}.{key}"
            else:
                yield from unknown(inner, table[key] if table[key] is not None else "*", f"{path}.{key}")


def test_a_misspelt_field_would_be_found() -> None:
    pool = manifests(in_cluster())["node-pool"]
    pool["spec"]["template"]["spec"]["requirement"] = []
    assert list(unknown({"spec": pool["spec"]}, FIELDS["NodePool"])) == [".spec.template.spec.requirement"]


@pytest.mark.parametrize("of_kind", KINDS)
def test_what_is_written_is_sound_and_a_pod_has_its_node_to_itself(
    of_kind: Callable[..., Environment], described: dict[str, Any]
) -> None:
    stated = environment_of(of_kind, described)
    assert list(unsound(plan_of(stated), foundation(stated), load_catalog("us-east-1"))) == []
    assert pods_on_each_type(stated) == {1}


@pytest.mark.parametrize("of_kind", KINDS)
def test_a_plan_is_refused_whose_manifests_are_unsound(of_kind: Callable[..., Environment]) -> None:
    stated = of_kind()
    plan = plan_of(stated)
    assert facet(plan.kind, PlanKind).foundation_faults is unsound
    larger = plan.model_copy(
        update={"pod": plan.pod.model_copy(update={"memory_mib": plan.pod.memory_mib + 512})}
    )
    assert all(
        "memory" in fault.reason for fault in unsound(larger, foundation(stated), load_catalog("us-east-1"))
    )
    assert list(unsound(larger, foundation(stated), load_catalog("us-east-1")))
