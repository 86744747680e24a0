"""The exact message for each kind of mistake in keys and values: it is all that a user sees."""

from collections.abc import Callable
from pathlib import Path

import pytest

from sizewell.config import ConfigError, load_environment
from sizewell.kinds.registry import kind_names

MessageFor = Callable[[str], str]

KINDS = ", ".join(kind_names())


def lines(*text: str) -> str:
    return "\n".join(text)


def test_unknown_key_with_near_match(message_for: MessageFor) -> None:
    text = "workloads:\n  support-bert:\n    latency:\n      max_p95: 100\n"
    assert message_for(text) == lines(
        "config/dev.yaml:4  workloads.support-bert.latency.max_p95",
        "  unknown key",
        "  did you mean max_p95_ms?",
    )


def test_unknown_key_that_belongs_elsewhere(message_for: MessageFor) -> None:
    assert message_for("workloads:\n  support-bert:\n    latency: {headroom: 0.2}\n") == lines(
        "config/dev.yaml:3  workloads.support-bert.latency.headroom",
        "  unknown key; allowed here: max_p95_ms, max_p99_ms, max_time_to_first_token_ms, max_inter_token_ms, max_wait_minutes",
        "  this key belongs elsewhere: workloads.<name>.scaling.headroom",
    )


@pytest.mark.parametrize(
    ("workload", "key", "hint"),
    [
        # Of the same name, and not for the same thing: policy is a map, and model states no name.
        ("support-bert: {scaling: {policy: target-tracking}}", "scaling.policy", "remove it"),
        ("support-bert: {scaling: {policy: {type: step}}}", "scaling.policy", "remove it"),
        ("support-bert: {scaling: {mode: step}}", "scaling.mode", "remove it"),
        ("support-bert: {model: {name: bert}}", "model.name", "remove it"),
        # The same thing elsewhere is nearer than a name that looks alike.
        (
            "support-bert: {region: us-east-1}",
            "region",
            "this key belongs elsewhere: policy.region, places.<name>.region",
        ),
        (
            "support-bert: {network: {mode: new}}",
            "network",
            "this key belongs elsewhere: network, places.<name>.network",
        ),
        (
            "nightly-lora: {instance_type: ml.g5.xlarge}",
            "instance_type",
            "this key belongs elsewhere: workloads.<name>.instances.instance_type",
        ),
        # Of another kind of workload it is no help.
        (
            "support-bert: {latency: {max_instances: 3}}",
            "latency.max_instances",
            "this key belongs elsewhere: workloads.<name>.scaling.max_instances, "
            "workloads.<name>.scaling.schedules.<name>.max_instances",
        ),
        (
            "nightly-lora: {dataset: {max_instances: 3}}",
            "dataset.max_instances",
            "this key belongs elsewhere: workloads.<name>.max_instances",
        ),
        ("support-bert: {scaling: {min: 2}}", "scaling.min", "did you mean min_instances?"),
        ("support-bert: {latency: {p95: 2}}", "latency.p95", "did you mean max_p95_ms?"),
    ],
)
def test_hint_of_an_unknown_key(message_for: MessageFor, workload: str, key: str, hint: str) -> None:
    found = message_for(f"workloads: {{{workload}}}\n").split("\n")
    assert found[0] == f"config/dev.yaml:1  workloads.{workload.partition(':')[0]}.{key}"
    assert (
        found[2:] == [f"  {hint}"]
        if hint.startswith(("remove", "this"))
        else found[1:] == ["  unknown key", f"  {hint}"]
    )


def test_unknown_key_at_the_top(message_for: MessageFor) -> None:
    assert message_for("qqq: 1\n") == lines(
        "config/dev.yaml:1  qqq",
        "  unknown key; allowed here: platform, tags, names, policy, bootstrap, network, existing, mlflow_app, "
        "places, clusters, storage, notifications, dashboard, workloads",
        "  remove it",
    )


def test_key_of_the_other_kind_of_workload(message_for: MessageFor) -> None:
    assert message_for("workloads:\n  support-bert:\n    deadline_hours: 3\n") == lines(
        "config/dev.yaml:3  workloads.support-bert.deadline_hours",
        "  the key is out of place",
        "  it does not go with kind real-time-endpoint; remove it",
    )


def test_key_of_the_base_that_the_environment_made_wrong(message_for: MessageFor) -> None:
    text = "workloads:\n  support-bert:\n    traffic:\n      peak_concurrent_users: 5\n      average_requests_per_second: null\n"
    assert message_for(text) == lines(
        "config/base.yaml:17  workloads.support-bert.traffic.peak_requests_per_second",
        "  the key is out of place",
        "  it does not go with the other keys here; remove it, "
        "or write peak_requests_per_second: null in config/dev.yaml to drop it there",
    )


def test_traffic_without_keys_speaks_of_one_kind(message_for: MessageFor) -> None:
    text = "workloads:\n  support-bert:\n    traffic: {average_requests_per_second: null}\n"
    assert message_for(text) == lines(
        "config/base.yaml:17  workloads.support-bert.traffic.average_requests_per_second",
        "  is missing; expected a number of at least 0.000001 and at most 1,000,000",
        "  Requests per second over the month, for the bill.",
    )


MAX_P95_MS = (
    "Milliseconds within which 95 of 100 requests are answered (ModelLatency); SageMaker ends a call after 60,000. Of a "
    "model that generates, by default what max_time_to_first_token_ms and max_inter_token_ms come to, or 60,000 where one of "
    "them is stated."
)


@pytest.mark.parametrize(
    ("value", "got", "hint"),
    [
        ("fast", '"fast" (text)', MAX_P95_MS),
        ("100ms", '"100ms" (text)', "the unit (milliseconds) is in the key's name: write max_p95_ms: 100"),
        ("2 s", '"2 s" (text)', "the unit (milliseconds) is in the key's name: write the number alone"),
        ('"100"', '"100" (text)', "write it without quotes: max_p95_ms: 100"),
        ("true", "true", MAX_P95_MS),
        ("[100]", "a list", MAX_P95_MS),
        ("{p: 1}", "a map", MAX_P95_MS),
        ("0", "0", MAX_P95_MS),
        ("60000.5", "60000.5", MAX_P95_MS),
    ],
)
def test_wrong_number(message_for: MessageFor, value: str, got: str, hint: str) -> None:
    text = f"workloads:\n  support-bert:\n    latency:\n      max_p95_ms: {value}\n"
    assert message_for(text) == lines(
        "config/dev.yaml:4  workloads.support-bert.latency.max_p95_ms",
        f"  got {got}; expected a number of at least 0.001 and at most 60,000 milliseconds",
        f"  {hint}",
    )


@pytest.mark.parametrize(
    ("line", "message", "hint"),
    [
        (
            "account: 111122223333",
            "got 111122223333; expected text such as 111122223333",
            "write it in quotes, to keep it a text",
        ),
        (
            'production: "yes"',
            'got "yes" (text); expected true or false',
            "write true or false, without quotes",
        ),
        (
            "region: virginia",
            'got "virginia" (text); expected text of at most 20 characters such as us-east-1',
            "The AWS region that is deployed to, for example us-east-1.",
        ),
        (
            "min_availability_zones: 7",
            "got 7; expected a whole number of at least 1 and at most 6",
            "The least number of availability zones that the network has.",
        ),
        (
            "nag_packs: hipaa-security",
            'got "hipaa-security" (text); expected a list of at most 4 items',
            "Rule packs of cdk-nag that must find nothing, else synth fails.",
        ),
    ],
)
def test_wrong_type(message_for: MessageFor, line: str, message: str, hint: str) -> None:
    key = line.partition(":")[0]
    assert message_for(f"policy:\n  {line}\n") == lines(
        f"config/dev.yaml:2  policy.{key}", f"  {message}", f"  {hint}"
    )


def test_value_of_an_enumeration(message_for: MessageFor) -> None:
    assert message_for("policy:\n  nag_packs:\n  - hipaa_securty\n") == lines(
        "config/dev.yaml:3  policy.nag_packs.0",
        '  got "hipaa_securty" (text); expected one of: aws-solutions, hipaa-security, nist-800-53-r5, pci-dss',
        "  did you mean hipaa-security?",
    )


@pytest.mark.parametrize(
    ("rule", "key", "message", "hint"),
    [
        (
            "review_approvals: [{of: replac, by: [ada]}]",
            "review_approvals.0.of",
            'got "replac" (text); expected text of at most 100 characters such as replace-stateful',
            "A condition of the gate, as sizewell guide review lists them, for example hazard:alarm-removed.",
        ),
        (
            'review_approvals: [{of: danger, by: ["@ada"]}]',
            "review_approvals.0.by.0",
            'got "@ada" (text); expected text of at most 200 characters such as ada',
            "A user, such as ada, or a team, such as company/data-owners, without @.",
        ),
        (
            "review_waivers: [{of: danger, subject: x, reason: y, until: 2027-01-31}]",
            "review_waivers.0.of",
            'got "danger" (text); expected text of at most 100 characters such as hazard:alarm-removed',
            "The condition of the gate that the finding meets; of a hazard its rule, for example hazard:alarm-removed.",
        ),
        (
            'review_waivers: [{of: replace, subject: x, reason: " ", until: 2027-01-31}]',
            "review_waivers.0.reason",
            'got " " (text); expected text of 1 to 500 characters such as moved in the second step',
            "Why the finding is accepted.",
        ),
        (
            "review_waivers: [{of: replace, subject: x, reason: y, until: 2027-13-01}]",
            "review_waivers.0.until",
            'got "2027-13-01" (text); expected text such as 2027-01-31',
            "The last day on which the finding is waived, YYYY-MM-DD.",
        ),
    ],
)
def test_a_rule_of_the_review(message_for: MessageFor, rule: str, key: str, message: str, hint: str) -> None:
    assert message_for(f"policy:\n  {rule}\n") == lines(
        f"config/dev.yaml:2  policy.{key}", f"  {message}", f"  {hint}"
    )


def test_unknown_kind(message_for: MessageFor) -> None:
    assert message_for("workloads:\n  support-bert:\n    kind: RealtimeEndpoint\n") == lines(
        "config/dev.yaml:3  workloads.support-bert.kind",
        f'  got "RealtimeEndpoint" (text); expected one of: {KINDS}',
        "  write kind: real-time-endpoint",
    )


@pytest.mark.parametrize(
    ("kind", "built"),
    [
        ("AsyncInference", "asynchronous-endpoint"),
        ("asynchronous", "asynchronous-endpoint"),
        ("async-endpoint", "asynchronous-endpoint"),
        ("serverless_inference", "serverless-endpoint"),
        ("multimodel", "multi-model-endpoint"),
        ("Lambda", "lambda-function"),
        ("batch-job", "batch-transform"),
    ],
)
def test_kind_of_a_mode_that_is_built(message_for: MessageFor, kind: str, built: str) -> None:
    assert (
        message_for(f"workloads:\n  support-bert:\n    kind: {kind}\n").splitlines()[2]
        == f"  write kind: {built}"
    )


def test_missing_kind(message_for: MessageFor) -> None:
    assert message_for("workloads:\n  ranker:\n    engine: eager\n") == lines(
        "config/dev.yaml:2  workloads.ranker.kind",
        f"  is missing; expected one of: {KINDS}",
    )


def test_misspelt_workload_of_the_base(message_for: MessageFor) -> None:
    assert message_for("workloads:\n  suport-bert:\n    latency: {max_p95_ms: 50}\n") == lines(
        "config/dev.yaml:2  workloads.suport-bert.kind",
        f"  is missing; expected one of: {KINDS}",
        "  did you mean support-bert?",
    )


def test_bad_item_of_a_list_is_one_fault(message_for: MessageFor) -> None:
    text = "workloads: {support-bert: {access: {callers: [app]}}}\n"
    assert message_for(text) == lines(
        "config/dev.yaml:1  workloads.support-bert.access.callers.0",
        '  got "app" (text); expected text of at most 600 characters such as arn:aws:iam::111122223333:role/models',
    )


def test_empty_list_is_a_fault(message_for: MessageFor) -> None:
    assert "expected a list of 1 to 50 items" in message_for(
        "workloads: {support-bert: {access: {callers: []}}}\n"
    )


def test_empty_map_that_changes_nothing(message_for: MessageFor) -> None:
    assert message_for("workloads:\n  support-bert:\n    latency: {}\n") == lines(
        "config/dev.yaml:3  workloads.support-bert.latency",
        "  an empty map changes nothing here: what base.yaml says in it holds",
        "  to remove that, write null for each key: {max_p95_ms: null}",
    )


@pytest.mark.parametrize(
    ("artifact", "message"),
    [
        ("{key: models/a/}", "ends in '/', as prefixes do; write compression: none beside it"),
        ("{compression: none}", "compression: none is of a prefix, whose key ends in '/'"),
    ],
)
def test_artifact_whose_key_contradicts_its_compression(
    message_for: MessageFor, artifact: str, message: str
) -> None:
    text = f"workloads: {{support-bert: {{container: {{artifact: {artifact}}}}}}}\n"
    assert message_for(text).splitlines()[1:] == [f"  {message}"]


def test_missing_key_names_the_line_of_its_parent(message_for: MessageFor) -> None:
    assert message_for("workloads:\n  support-bert:\n    latency:\n      max_p95_ms: null\n") == lines(
        "config/base.yaml:18  workloads.support-bert.latency.max_p95_ms",
        "  is missing: how fast must 95 of 100 requests be answered?",
    )


def test_missing_part_is_a_map(message_for: MessageFor) -> None:
    assert message_for("workloads:\n  support-bert: {model: null}\n") == lines(
        "config/base.yaml:8  workloads.support-bert.model",
        "  is missing; expected a map of keys",
        "  The model: a public one by its name (preset: llama-3.1-8b), or an architecture with its dimensions.",
    )


def test_name_of_a_workload(message_for: MessageFor, base_text: str) -> None:
    workload = base_text.partition("  support-bert:\n")[2].partition("  nightly-lora")[0]
    assert message_for(f"workloads:\n  Support_BERT:\n{workload}") == lines(
        "config/dev.yaml:2  workloads.Support_BERT",
        "  the name is not allowed; expected text of 2 to 26 characters such as support-bert: lower-case letters, digits "
        "and single hyphens, first a letter",
        "  did you mean support-bert?",
    )


def test_name_that_is_too_short(message_for: MessageFor, base_text: str) -> None:
    workload = base_text.partition("  support-bert:\n")[2].partition("  nightly-lora")[0]
    assert "did you mean" not in message_for(f"workloads:\n  a:\n{workload}")


def test_name_of_a_variable(message_for: MessageFor) -> None:
    text = "workloads:\n  support-bert:\n    container:\n      environment: {1st-level: info}\n"
    assert message_for(text) == lines(
        "config/dev.yaml:4  workloads.support-bert.container.environment.1st-level",
        "  the name is not allowed; expected text of at most 1024 characters: letters, digits and underscores, first no "
        "digit",
    )


def test_workload_that_is_no_map(message_for: MessageFor) -> None:
    assert message_for("workloads:\n  support-bert: [1]\n") == lines(
        "config/dev.yaml:2  workloads.support-bert", "  got a list; expected a map of keys"
    )


def test_union_of_scalars_gives_one_fault(message_for: MessageFor) -> None:
    text = "workloads:\n  nightly-lora:\n    container:\n      hyperparameters: {rates: [1, 2]}\n"
    assert message_for(text) == lines(
        "config/dev.yaml:4  workloads.nightly-lora.container.hyperparameters.rates",
        "  got a list; expected text, a number or true or false",
    )


def test_null_without_a_key_to_remove(message_for: MessageFor) -> None:
    assert message_for("policy:\n  acount: null\n") == lines(
        "config/dev.yaml:2  policy.acount",
        "  null removes a key of base.yaml, but base.yaml has no such key here",
        "  did you mean account?",
    )


def test_spot_on_a_real_time_endpoint(message_for: MessageFor) -> None:
    assert message_for("workloads:\n  support-bert:\n    spot: {enabled: true}\n") == lines(
        "config/dev.yaml:3  workloads.support-bert.spot",
        "  has no effect in SageMaker: it has Spot for training jobs alone, and a cluster of Amazon EKS has it for models, too; "
        "remove it, or write spot: null in the environment's file to drop what base.yaml says",
    )


def test_spot_that_the_policy_forbids(message_for: MessageFor) -> None:
    text = "workloads:\n  nightly-lora:\n    spot: {enabled: true}\n    checkpoint: {interval_minutes: 15}\n"
    assert message_for(text) == lines(
        "config/dev.yaml:3  workloads.nightly-lora.spot.enabled",
        "  Spot is asked for, but policy.allow_spot is false in this environment",
    )


def test_production_with_one_instance(message_for: MessageFor) -> None:
    text = "policy:\n  production: true\n  min_endpoint_instances: 1\n  min_availability_zones: 2\nnetwork: {mode: new}\n"
    assert message_for(text) == lines(
        "config/dev.yaml:3  policy.min_endpoint_instances",
        "  is 1, but production needs at least 2: one instance is one failure away from an outage",
    )


@pytest.mark.parametrize("subscriber", ["", "subscribed_elsewhere: true", "emails: [team@example.com]"])
def test_production_whose_alarms_reach_nobody(message_for: MessageFor, subscriber: str) -> None:
    # One zone is a fault of its own, so that there is a message in each case.
    text = (
        "policy: {production: true, min_endpoint_instances: 2, min_availability_zones: 2}\n"
        f"network: {{availability_zones: 1}}\nnotifications: {{{subscriber}}}\n"
    )
    assert ("nobody hears of an alarm in production: name an address" in message_for(text)) is (
        not subscriber
    )


def test_production_with_one_zone(message_for: MessageFor) -> None:
    text = (
        "policy:\n  production: true\n  min_endpoint_instances: 2\n  min_availability_zones: 2\n"
        "network:\n  availability_zones: 1\nnotifications:\n  subscribed_elsewhere: true\n"
    )
    assert message_for(text) == lines(
        "config/dev.yaml:6  network.availability_zones",
        "  1 availability zone(s), but policy.min_availability_zones asks for 2",
    )


def test_endpoint_in_one_zone(message_for: MessageFor) -> None:
    assert message_for("network:\n  availability_zones: 1\n") == lines(
        "config/dev.yaml:2  network.availability_zones",
        "  a subnet in 1 availability zone, but SageMaker asks for subnets in 2 at least where there is an endpoint "
        "(support-bert), even with one instance: write availability_zones: 2",
    )


def test_endpoint_in_one_subnet(directory: Path, message_for: MessageFor, base_text: str) -> None:
    (directory / "base.yaml").write_text(base_text.replace("network:\n  mode: new\n", ""), "utf-8")
    text = "network:\n  mode: existing\n  vpc_id: vpc-0123456789abcdef0\n  subnet_ids: [subnet-0123456789abcdef0]\n"
    assert message_for(text) == lines(
        "config/dev.yaml:4  network.subnet_ids",
        "  a subnet in 1 availability zone, but SageMaker asks for subnets in 2 at least where there is an endpoint "
        "(support-bert), even with one instance: add a subnet in another zone",
    )


def test_training_may_run_in_one_zone(load_dev: Callable[[str], object]) -> None:
    assert load_dev("network: {availability_zones: 1}\nworkloads: {support-bert: null}\n")


def test_secret_is_not_repeated(message_for: MessageFor) -> None:
    secret = "hf_" + "A1b2" * 8 + "c3"
    text = f"workloads:\n  support-bert:\n    container:\n      environment:\n        HF_TOKEN: {secret}\n"
    assert message_for(text) == lines(
        "config/dev.yaml:5  workloads.support-bert.container.environment.HF_TOKEN",
        "  got hf_…(37 characters); a secret must not stand in the configuration",
        "  store it in AWS Secrets Manager, give the ARN of the secret here, and revoke this one",
    )


def test_secret_in_a_wrong_place_is_not_repeated(message_for: MessageFor) -> None:
    message = message_for("policy:\n  region: " + "AKIA" + "ABCDEFGH23456777\n  api_key: 123456789\n")
    assert message == lines(
        "config/dev.yaml:2  policy.region",
        "  got AKIA…(20 characters); a secret must not stand in the configuration",
        "  store it in AWS Secrets Manager, give the ARN of the secret here, and revoke this one",
        "config/dev.yaml:3  policy.api_key",
        "  got …(9 characters); a secret must not stand in the configuration",
        "  store it in AWS Secrets Manager, give the ARN of the secret here, and revoke this one",
    )


def test_cdk_token(message_for: MessageFor) -> None:
    text = "workloads:\n  support-bert:\n    container:\n      environment:\n        BUCKET: ${Token[TOKEN.12]}\n"
    assert message_for(text) == lines(
        "config/dev.yaml:5  workloads.support-bert.container.environment.BUCKET",
        "  an unresolved CDK token: the name is known only after synth",
        "  give the plain value; the configuration is read before any construct exists",
    )


def test_several_faults_of_both_files_come_sorted_and_at_once(
    directory: Path, message_for: MessageFor, base_text: str
) -> None:
    (directory / "base.yaml").write_text(base_text.replace("layers: 12", "layers: twelve"), "utf-8")
    text = "storage:\n  expiry: 3\npolicy:\n  region: 5\n  removal: keep\n"
    assert message_for(text) == lines(
        "config/base.yaml:10  workloads.support-bert.model.layers",
        '  got "twelve" (text); expected a whole number above 0 and at most 10,000',
        "  The number of blocks, those of encoder and decoder together; without it and hidden_size, those of published "
        "models of the same size.",
        "config/dev.yaml:2  storage.expiry",
        "  unknown key; allowed here: checkpoint_expiry_days, inference_data_expiry_days, noncurrent_version_expiry_days",
        "  remove it",
        "config/dev.yaml:4  policy.region",
        "  got 5; expected text of at most 20 characters such as us-east-1",
        "  write it in quotes, to keep it a text",
        "config/dev.yaml:5  policy.removal",
        '  got "keep" (text); expected one of: destroy, retain',
    )


def test_long_value_is_cut(message_for: MessageFor) -> None:
    message = message_for(f"policy:\n  removal: {'long ' * 40}\n")
    assert f'got "{("long " * 40)[:59]}…" (text)' in message


def test_control_characters_do_not_reach_the_terminal(message_for: MessageFor) -> None:
    assert "\x1b" not in message_for('policy:\n  removal: "\\e[2J"\n')


def test_a_ceiling_below_the_floor_of_the_policy(message_for: MessageFor) -> None:
    text = "policy:\n  min_endpoint_instances: 3\nworkloads:\n  support-bert:\n    scaling:\n      max_instances: 2\n"
    assert message_for(text) == lines(
        "config/dev.yaml:6  workloads.support-bert.scaling.max_instances",
        "  2 instance(s) at most, but policy.min_endpoint_instances asks for 3",
    )


@pytest.mark.parametrize(
    ("zone", "match"),
    [
        ("Berlin", "Europe/Berlin"),
        ("europe/berlin", "Europe/Berlin"),
        ("America/NewYork", "America/New_York"),
        ("CEST", None),
    ],
)
def test_time_zone_that_does_not_exist(message_for: MessageFor, zone: str, match: str | None) -> None:
    text = f"workloads:\n  nightly-lora:\n    schedule:\n      every: day\n      time_zone: {zone}\n"
    assert message_for(text) == lines(
        "config/dev.yaml:5  workloads.nightly-lora.schedule.time_zone",
        f'  "{zone}" is no name of the IANA time-zone database'
        f"; {f'did you mean {match}?' if match else 'write that of a city, such as Europe/Berlin'}",
    )


@pytest.mark.parametrize("zone", ["UTC", "Europe/Berlin", "America/Argentina/Buenos_Aires", "Etc/GMT+3"])
def test_time_zone_that_exists(load_dev: Callable[[str], object], zone: str) -> None:
    assert load_dev(f"workloads:\n  nightly-lora:\n    schedule: {{every: day, time_zone: {zone}}}\n")


def test_subnet_that_stands_twice(directory: Path, message_for: MessageFor, base_text: str) -> None:
    (directory / "base.yaml").write_text(base_text.replace("network:\n  mode: new\n", ""), "utf-8")
    one, other = "subnet-0123456789abcdef0", "subnet-0123456789abcdef1"
    text = f"network:\n  mode: existing\n  vpc_id: vpc-0123456789abcdef0\n  subnet_ids:\n  - {one}\n  - {other}\n"
    assert message_for(f"{text}  - {one}\n") == lines(
        "config/dev.yaml:7  network.subnet_ids.2",
        f"  {one} stands twice; each subnet stands for an availability zone of its own",
    )


def test_parameters_that_were_not_counted_in_millions(message_for: MessageFor) -> None:
    text = "workloads:\n  nightly-lora:\n    model: {parameters_millions: 8030000000}\n"
    assert message_for(text) == lines(
        "config/dev.yaml:3  workloads.nightly-lora.model.parameters_millions",
        "  got 8030000000; expected a number of at least 0.000001 and at most 10,000,000 million",
        "  The number of weights, in millions: 8000 for a model of 8 billion.",
    )


def test_two_keys_that_hold_the_word_are_both_offered(message_for: Callable[[str], str]) -> None:
    message = message_for("workloads:\n  support-bert:\n    instances: {families: [g5]}\n")
    assert "unknown key\n  did you mean allowed_families or denied_families?" in message


def test_platform_and_environment_leave_room_for_the_rest_of_a_name(
    directory: Path, message_for: MessageFor, load_dev: Callable[[str], object]
) -> None:
    # With the four letters of prod, which init writes: 22.
    longest = "a-platform-of-eigh"
    assert load_dev(f"platform: {longest}\n")
    assert "2 to 18" in message_for(f"platform: {longest}t\n")
    (directory / "staging.yaml").write_text(f"platform: {longest}\n", "utf-8")
    with pytest.raises(ConfigError) as raised:
        load_environment(directory, "staging")
    assert str(raised.value) == lines(
        "config/staging.yaml:1  platform",
        f"  {longest} and staging have 25 characters together, and 22 leave room for the rest of a name: shorten one of them",
    )
