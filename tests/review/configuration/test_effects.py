import copy
from pathlib import Path
from typing import Any

import pytest

from sizewell.config import load_environment
from sizewell.config.effects import Computed
from sizewell.review.comparison import EnvironmentPair
from sizewell.review.configuration import compare_configurations
from sizewell.review.configuration.computed_effects import COMPUTED
from sizewell.review.saved.output import Assembly

BERT = "workloads.support-bert"
TRAIN = "workloads.plant-id-train"


@pytest.fixture(scope="module")
def prod(project_root: Path) -> dict[str, Any]:
    return load_environment(project_root / "config", "prod").environment.model_dump(mode="json")


def meaning(environment: dict[str, Any], path: str, value: Any, **others: Any) -> str:
    base, head = copy.deepcopy(environment), copy.deepcopy(environment)
    for where, what in others.items():
        put(base, where.replace("__", "."), copy.deepcopy(what))
        put(head, where.replace("__", "."), copy.deepcopy(what))
    put(head, path, value)
    sides = [
        Assembly(Path("x"), "prod", {}, config={"schema_version": 1, "environment": e}) for e in (base, head)
    ]
    (change,) = compare_configurations([EnvironmentPair("prod", sides[0], sides[1])])
    return change.meaning


def put(environment: Any, path: str, value: Any) -> None:
    *parents, key = path.split(".")
    for parent in parents:
        environment = environment[parent]
    environment[key] = value


WAIVER = {"of": "replace", "subject": "s/Bucket", "reason": "planned", "until": "2027-01-31"}


@pytest.mark.parametrize(
    ("path", "value", "expected"),
    [
        ("platform", "other", "every name changes: everything is created anew"),
        ("policy.account", "999988887777", "everything is created anew elsewhere"),
        ("policy.required_tags", ["cost-center"], "everything must carry cost-center"),
        (
            "policy.permissions_boundary_arn",
            "arn:aws:iam::aws:policy/PowerUserAccess",
            "no role may do more than this policy allows",
        ),
        (
            "policy.role_path",
            "/ml/",
            "every role and its policies are created anew, and the models and schedules that use them change",
        ),
        ("tags", {"team": "ml"}, "everything carries it"),
        (
            "bootstrap",
            {"qualifier": "company1"},
            "deployments use these roles and names instead of the usual ones of cdk bootstrap",
        ),
        (
            "network.proxy",
            {"url": "http://proxy.example.com:3128"},
            "containers without network isolation call through it",
        ),
        (f"{BERT}.tags", {"team": "search"}, "what the workload has carries it"),
        ("policy.region", "eu-west-1", "everything is created anew elsewhere"),
        ("policy.production", False, "one instance in one zone is allowed"),
        ("policy.budget_usd_per_month", 10_000, "+25 %"),
        ("policy.budget_usd_per_month", 6000, "-25 %"),
        ("policy.budget_usd_per_month", None, "nothing limits the bill any more"),
        ("policy.margin", 0.1, "more room to every limit: may need a larger type"),
        ("policy.min_endpoint_instances", 1, "loses the second zone: one failure away from an outage"),
        ("policy.min_endpoint_instances", 3, ""),
        ("policy.max_endpoint_instances", 6, "carries a smaller peak"),
        ("policy.allowed_families", ["g5", "g6"], "only g5 and g6 may be picked"),
        ("policy.denied_families", ["g5"], "g5 may not be picked any more"),
        ("policy.removal", "destroy", "keys, buckets and logs go with their stack"),
        ("policy.log_retention_days", 30, "logs older than 30 days are deleted"),
        ("policy.log_retention_days", 400, "logs are kept longer"),
        (
            "policy.nag_packs",
            ["aws-solutions", "pci-dss", "nist-800-53-r5"],
            "hipaa-security is no longer checked",
        ),
        (
            "policy.nag_packs",
            ["aws-solutions", "pci-dss"],
            "hipaa-security and nist-800-53-r5 are no longer checked",
        ),
        ("policy.review_fail_on", ["danger"], "stops a change: danger"),
        ("policy.review_approvals", [{"of": "replace", "by": ["ada"]}], "others must approve later changes"),
        ("policy.review_waivers", [WAIVER], "other findings are waived in later changes"),
        ("network.mode", "existing", "another VPC: everything moves"),
        ("network.availability_zones", 2, "loses a zone"),
        ("network.availability_zones", 1, "loses 2 zones: one failure away from an outage"),
        ("network.interface_endpoints", ["logs", "sts"], "logs and sts can be reached, and no other service"),
        ("network.availability_zone_ids", ["use1-az1"], "every subnet is replaced, and instances move"),
        ("notifications.emails", ["a@b.de"], "alarms go to a@b.de"),
        (f"{BERT}.model.precision", "int8", "another model"),
        (f"{BERT}.model.preset", "bert-large", "another model"),
        (f"{BERT}.container.artifact.key", "models/b/model.tar.gz", "another model goes live"),
        (f"{BERT}.container.images.cuda.tag", "2.7", "another image goes live on NVIDIA GPUs"),
        (f"{TRAIN}.container.images.cuda.tag", "2.7", "another image trains on NVIDIA GPUs"),
        (f"{BERT}.container.images.cuda", None, "NVIDIA GPUs may not be picked any more"),
        (f"{BERT}.container.network_isolation", False, "the container may make outgoing calls"),
        (f"{BERT}.latency.max_p95_ms", 50, "stricter: may need a faster type"),
        (f"{BERT}.latency.max_p95_ms", 500, "looser: a slower type may do"),
        (f"{BERT}.traffic.peak_requests_per_second", 240, "x2.0"),
        (f"{BERT}.traffic.peak_requests_per_second", 30, "x0.25"),
        (f"{BERT}.traffic.peak_requests_per_second", 126, "x1.05"),
        (f"{BERT}.scaling.min_instances", 1, "loses the second zone: one failure away from an outage"),
        (f"{BERT}.scaling.min_instances", 0, "scales to zero: the first request waits for an instance"),
        (f"{BERT}.scaling.min_instances", 2, ""),
        (
            f"{BERT}.scaling.schedules.nights",
            {"at": "20:00", "min_instances": 2},
            "its bounds hold from its moment on, until the next schedule begins",
        ),
        (
            f"{BERT}.alarms.disk_utilization.off_because",
            "the cache fills it",
            "the alarm is switched off, and tells nobody",
        ),
        (f"{BERT}.instances.instance_type", "ml.g5.xlarge", "only this type is considered"),
        (f"{BERT}.max_usd_per_month", 500, "more expensive types are rejected"),
        (f"{TRAIN}.spot.enabled", False, "on demand only"),
        (f"{TRAIN}.checkpoint", None, "an interrupted run starts again from zero"),
        (f"{TRAIN}.checkpoint.interval_minutes", 60, "an interruption loses up to 60 minutes"),
        (f"{TRAIN}.schedule", None, "runs only by hand"),
        (f"{TRAIN}.schedule.enabled", False, "runs only by hand"),
        (f"{BERT}.description", "Other words", ""),
    ],
)
def test_what_follows_from_a_key(prod: dict[str, Any], path: str, value: Any, expected: str) -> None:
    assert meaning(prod, path, value) == expected


def test_an_alarm_that_was_tuned_or_off(prod: dict[str, Any]) -> None:
    prod = copy.deepcopy(prod)
    put(prod, f"{BERT}.alarms.server_error_rate.above_percent", 2.0)
    put(prod, f"{BERT}.alarms.disk_utilization.off_because", "the cache fills it")
    assert meaning(prod, f"{BERT}.alarms.server_error_rate.above_percent", 5.0) == "the alarm is looser"
    assert meaning(prod, f"{BERT}.alarms.disk_utilization.off_because", None) == "the alarm is on again"


def test_bounds_by_the_clock(prod: dict[str, Any]) -> None:
    prod = copy.deepcopy(prod)
    put(prod, f"{BERT}.scaling.schedules.nights", {"at": "20:00", "min_instances": 2})
    put(prod, f"{BERT}.scaling.schedules.days", {"at": "08:00", "min_instances": 4})
    path = f"{BERT}.scaling.schedules.nights"
    assert meaning(prod, f"{path}.min_instances", 3) == "other bounds hold from its moment on"
    assert meaning(prod, path, None) == "what holds before its moment holds on"


def test_a_release_that_had_no_alarms_to_tune_differs_in_nothing(prod: dict[str, Any]) -> None:
    older = copy.deepcopy(prod)
    del older["workloads"]["support-bert"]["alarms"]
    del older["workloads"]["support-bert"]["scaling"]["schedules"]
    sides = [
        Assembly(Path("x"), "prod", {}, config={"schema_version": 1, "environment": e}) for e in (older, prod)
    ]
    assert compare_configurations([EnvironmentPair("prod", sides[0], sides[1])]) == ()


def test_the_name_of_all_images_speaks_for_those_that_it_replaces(prod: dict[str, Any]) -> None:
    head = copy.deepcopy(prod)
    put(
        head,
        f"{BERT}.container.images",
        dict.fromkeys(prod["workloads"]["support-bert"]["container"]["images"]),
    )
    put(head, f"{BERT}.container.image", {"framework": "pytorch", "version": "2.6"})
    assert (
        meaning(head, f"{BERT}.container.image.version", "2.8")
        == "another image goes live on the hardware that it is for"
    )
    sides = [
        Assembly(Path("x"), "prod", {}, config={"schema_version": 1, "environment": e}) for e in (prod, head)
    ]
    told = {
        one.key_path: one.meaning
        for one in compare_configurations([EnvironmentPair("prod", sides[0], sides[1])])
    }
    assert told.pop(f"{BERT}.container.image") == "another image goes live on the hardware that it is for"
    assert len(told) == 3
    assert set(told.values()) == {""}


def test_spot_says_how_often_it_saves(prod: dict[str, Any]) -> None:
    prod = copy.deepcopy(prod)
    put(prod, f"{TRAIN}.spot.enabled", False)
    expected = "training may be interrupted; checkpoint every 15 minutes"
    assert meaning(prod, f"{TRAIN}.spot.enabled", True) == expected
    put(prod, f"{TRAIN}.checkpoint", None)
    assert meaning(prod, f"{TRAIN}.spot.enabled", True) == "training may be interrupted; no checkpoint"


def test_instances_lose_only_zones_that_there_are(prod: dict[str, Any]) -> None:
    path = f"{BERT}.scaling.min_instances"
    prod = copy.deepcopy(prod)
    put(prod, "policy.production", False)
    put(prod, path, 5)
    assert meaning(prod, path, 3) == "fewer instances at rest"
    assert meaning(prod, path, 1) == "loses 2 of 3 zones"
    assert meaning(prod, path, 1, network__availability_zones=1) == "fewer instances at rest"


def test_zones_are_those_of_the_place_of_the_workload(prod: dict[str, Any]) -> None:
    path = f"{BERT}.scaling.min_instances"
    prod = copy.deepcopy(prod)
    put(prod, "policy.production", False)
    put(prod, path, 3)
    assert meaning(prod, path, 1) == "loses 2 of 3 zones"
    put(prod, "places", {"eu": {"network": {"mode": "new", "availability_zones": 2}}})
    put(prod, f"{BERT}.place", "eu")
    assert meaning(prod, path, 1) == "loses the second zone"


def test_a_bound_of_the_policy_that_nobody_uses_says_so(prod: dict[str, Any]) -> None:
    prod = copy.deepcopy(prod)
    for name in ("support-bert", "plant-id", "assistant"):
        put(prod, f"workloads.{name}.scaling.min_instances", 2)
    assert meaning(prod, "policy.min_endpoint_instances", 1) == "every endpoint states its own"
    fleet = {
        "kind": "inference-component-endpoint",
        "scaling": {"min_instances": 2},
        "components": {"one": {}},
    }
    prod["workloads"]["desk"] = fleet
    assert meaning(prod, "policy.min_endpoint_instances", 3) == ""
    fleet["components"] = {"one": {"scaling": {"min_copies": 2}}}
    assert meaning(prod, "policy.min_endpoint_instances", 3) == "every endpoint states its own"


def test_interface_endpoints_of_ones_own_go_by_name(prod: dict[str, Any]) -> None:
    prod = copy.deepcopy(prod)
    path = "network.interface_endpoints"
    put(prod, path, ["ecr.api", "ecr.dkr", "kms", "logs", "monitoring", "sts"])
    told = "ecr.api, ecr.dkr, kms, logs and monitoring can no longer be reached"
    assert meaning(prod, path, ["sts"]) == told
    assert meaning(prod, path, None) == "what the workloads need can be reached"


@pytest.mark.parametrize(
    ("zone_ids", "expected"),
    [
        (["use1-az1", "use1-az6"], "instances leave use1-az4; instances may run in use1-az6"),
        (
            ["use1-az4", "use1-az1"],
            "training on several instances runs in use1-az4",
        ),
        (
            ["use1-az4", "use1-az2"],
            "instances leave use1-az1; instances may run in use1-az2; training on several instances runs in use1-az4",
        ),
        (["use1-az1", "use1-az4", "use1-az6"], "instances may run in use1-az6"),
        (None, "every subnet is replaced, and instances move"),
    ],
)
def test_zones_are_left_and_entered(prod: dict[str, Any], zone_ids: Any, expected: str) -> None:
    prod = copy.deepcopy(prod)
    put(prod, "network.availability_zone_ids", ["use1-az1", "use1-az4"])
    assert meaning(prod, "network.availability_zone_ids", zone_ids) == expected


def test_every_computed_effect_has_its_computation() -> None:
    assert set(COMPUTED) == set(Computed)


LOOKUP = {"mode": "lookup", "vpc_tags": {"Name": "ml"}, "subnet_tag": {"tier": "ml"}}
PROXY = {"url": "http://proxy.example.com:3128", "bypass": [".example.com"]}


@pytest.mark.parametrize(
    ("path", "value", "expected"),
    [
        ("network.mode", "existing", "another VPC: everything moves"),
        ("network.vpc_tags.Name", "other", "another VPC may be found: everything would move"),
        ("network.vpc_tags.team", "ml", "another VPC may be found: everything would move"),
        ("network.subnet_tag.tier", "web", "other subnets: instances move"),
        (
            "network.proxy.url",
            "http://other.example.com:3128",
            "containers without network isolation call through another proxy",
        ),
        ("bootstrap.qualifier", "other", "deployments use another bootstrap: its roles and its bucket"),
        (
            "bootstrap.cloudformation_execution_role_arn",
            "arn:aws:iam::111122223333:role/cfn",
            "CloudFormation makes everything with the rights of this role",
        ),
        ("network.proxy.bypass", [], ".example.com is called through the proxy"),
        ("network.proxy.bypass", [".example.com", "a", "b"], "a and b are called directly"),
    ],
)
def test_what_a_change_of_network_proxy_or_bootstrap_means(
    prod: dict[str, Any], path: str, value: Any, expected: str
) -> None:
    others = {"network": {**LOOKUP, "proxy": PROXY}, "bootstrap": {"qualifier": "company1"}}
    assert meaning(prod, path, value, **others) == expected
