"""What is well-formed and cannot be meant: refused at its key, with what to write."""

import json
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

from sizewell.config import ConfigError, load_environment
from tools.benchmarks.every_key import every_key

ENDPOINT = "endpoint: pinned"
JOB = "job: decoder"
LONG = "a" * 250

#: The configuration that is changed, the path of the key, what is put there, and a part of the message.
CASES: dict[str, tuple[str, str, Any, str]] = {
    "digits of another script": (
        ENDPOINT,
        "policy.account",
        "\u0661" * 12,
        "expected text such as 111122223333",
    ),
    "of an image": (
        ENDPOINT,
        "workloads.it.container.images.cuda.account",
        "\u0661" * 12,
        "expected text such as 763104351884",
    ),
    "of a time": (JOB, "workloads.it.schedule.at", "\u0660\u0663:00", "expected text such as 03:00"),
    "addresses above 255": (
        ENDPOINT,
        "network.cidr",
        "999.0.0.0/16",
        "each of the four numbers is at most 255",
    ),
    "host bits": (ENDPOINT, "network.cidr", "10.0.0.1/16", "has host bits set: write 10.0.0.0/16"),
    "loopback": (ENDPOINT, "network.cidr", "127.0.0.0/16", "127.0.0.0/8 is for loopback"),
    "multicast": (
        ENDPOINT,
        "network.cidr",
        "224.0.0.0/16",
        "224.0.0.0/3 is for multicast and reserved addresses",
    ),
    "range of the containers": (
        ENDPOINT,
        "network.cidr",
        "172.17.0.0/16",
        "is for the containers of SageMaker",
    ),
    "unknown endpoint": (
        ENDPOINT,
        "network.interface_endpoints",
        ["sts", "sagemaker.runtme"],
        "interface_endpoints.1\n  AWS has no interface endpoint of this name; did you mean sagemaker.runtime?",
    ),
    "templated endpoint": (
        ENDPOINT,
        "network.interface_endpoints",
        ["${AWS::Region}"],
        "nothing replaces ${AWS::...} here",
    ),
    "endpoint twice": (ENDPOINT, "network.interface_endpoints", ["sts", "sts"], "sts stands twice"),
    "endpoint of S3": (ENDPOINT, "network.interface_endpoints", ["s3"], "s3 has a gateway endpoint already"),
    "address twice": (
        ENDPOINT,
        "notifications.emails",
        ["a@example.com", "A@example.com"],
        "emails.1\n  A@example.com stands twice",
    ),
    "address with a blank": (
        ENDPOINT,
        "notifications.emails",
        ["a b@example.com"],
        "expected text of at most 254",
    ),
    "address of another script": (
        ENDPOINT,
        "notifications.emails",
        ["é@example.com"],
        "expected text of at most",
    ),
    "more zones than there are": (
        ENDPOINT,
        "network.availability_zones",
        4,
        "network.availability_zones\n  4 availability zones, but eu-west-1 has 3",
    ),
    "letter of a zone": (
        ENDPOINT,
        "network.availability_zone_ids",
        ["us-east-1a", "use1-az4", "use1-az6"],
        'availability_zone_ids.0\n  got "us-east-1a" (text); expected text such as use1-az1',
    ),
    "zone of another region": (
        ENDPOINT,
        "network.availability_zone_ids",
        ["use1-az1", "use2-az1", "use1-az6"],
        "availability_zone_ids.1\n  use2-az1 is no zone of us-east-1, whose zone ids begin with use1-az",
    ),
    "zone twice": (
        ENDPOINT,
        "network.availability_zone_ids",
        ["use1-az1", "use1-az4", "use1-az1"],
        "availability_zone_ids.2\n  use1-az1 stands twice",
    ),
    "zone too few": (
        ENDPOINT,
        "network.availability_zone_ids",
        ["use1-az1", "use1-az4"],
        "availability_zone_ids\n  names 2 zones, but availability_zones is 3: make them agree",
    ),
    "a million years": (
        ENDPOINT,
        "storage.checkpoint_expiry_days",
        10**18,
        "expected a whole number of at least 1 and at most 36,500 days",
    ),
    "reservation of another account": (
        ENDPOINT,
        "workloads.it.capacity_reservation_arn",
        "arn:aws:sagemaker:us-east-1:999999999999:ml-reservation/abc",
        "the reservation is in the account 999999999999, but this environment is in 111122223333",
    ),
    "reservation of another partition": (
        ENDPOINT,
        "workloads.it.capacity_reservation_arn",
        "arn:aws-cn:sagemaker:us-east-1:111122223333:ml-reservation/abc",
        "the reservation is in the partition aws-cn, but this environment is in aws",
    ),
    "reservation of another region": (
        ENDPOINT,
        "workloads.it.capacity_reservation_arn",
        "arn:aws:sagemaker:eu-west-1:111122223333:ml-reservation/abc",
        "the reservation is in the region eu-west-1, but this environment is in us-east-1",
    ),
    "image with a long address": (
        ENDPOINT,
        "workloads.it.container.images.cuda.repository",
        LONG,
        "characters; SageMaker takes 255 at most",
    ),
    "pseudo parameter": (
        ENDPOINT,
        "workloads.it.container.environment.REGION",
        "${AWS::Region}",
        "nothing replaces ${AWS::...} here",
    ),
    "pseudo parameter in a description": (
        JOB,
        "workloads.it.description",
        "in ${AWS::Region}",
        "nothing replaces ${AWS::...} here",
    ),
    "day of a month in a week": (
        JOB,
        "workloads.it.schedule.day_of_month",
        3,
        "day_of_month\n  has no effect on a job of every week; remove it, or write day_of_month: null",
    ),
    "day of a week in a month": (
        "job: linear",
        "workloads.it.schedule.weekday",
        "SUN",
        "has no effect on a job of every month",
    ),
    "wait without Spot": (
        JOB,
        "workloads.it.spot.enabled",
        False,
        "max_wait_hours\n  has no effect without Spot",
    ),
    "optimizer of trees": (
        "job: gradient-boosting",
        "workloads.it.optimizer",
        "sgd",
        "optimizer\n  has no effect on gradient-boosting",
    ),
    "adapters of a network that has none": (
        "job: cnn",
        "workloads.it.lora_parameters_millions",
        5,
        "lora_parameters_millions\n  has no effect with method: full",
    ),
    "absurdly short": (
        ENDPOINT,
        "workloads.it.latency.max_p95_ms",
        1e-310,
        "got 1e-310; expected a number of at least",
    ),
    "absurdly many": (
        "endpoint: linear",
        "workloads.it.traffic.peak_requests_per_second",
        1.7e308,
        "expected a number of at least 0.000001 and at most 1,000,000",
    ),
    "absurdly much": (
        "endpoint: cnn",
        "workloads.it.model.forward_gflops_per_image",
        1e300,
        "expected a number of at least 0.000001 and at most 1,000,000,000",
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_nonsense_is_refused_at_its_key(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    base, path, value, expected = CASES[name]
    config = deepcopy(every_key()[base])
    if name == "more zones than there are":
        config["policy"]["region"] = "eu-west-1"
        config["network"]["availability_zone_ids"] = None
    *parents, key = path.split(".")
    at = config
    for parent in parents:
        at = at[parent]
    at[key] = value
    monkeypatch.chdir(tmp_path)
    Path("base.yaml").write_text(json.dumps(config), "utf-8")
    Path("dev.yaml").write_text("policy: {}\n", "utf-8")
    with pytest.raises(ConfigError) as raised:
        load_environment(Path(), "dev")
    assert path.rpartition(".")[0] in str(raised.value)
    assert expected in str(raised.value)
