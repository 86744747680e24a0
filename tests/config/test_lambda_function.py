"""What a Lambda function may say, and what is said to somebody who brings the keys or the images of SageMaker."""

from collections.abc import Callable
from typing import Any

import pytest

MessageFor = Callable[[str], str]

IMAGES = 'images: {cpu_x86_64: {account: "111122223333", repository: photos, tag: "1.4"}}'
WORKLOAD = f"""\
workloads:
  photos:
    kind: lambda-function
    model: {{preset: resnet-50}}
    container:
      {IMAGES}
    request: {{images: 1}}
    traffic: {{peak_requests_per_second: 1, average_requests_per_second: 0.1}}
    latency: {{max_p95_ms: 9000}}
"""
#: The same as an endpoint in any mode.
IN_ANY_MODE = WORKLOAD.replace("lambda-function", "endpoint").replace(
    f"{IMAGES}\n", f"{IMAGES}\n      artifact: {{key: models/photos/model.tar.gz}}\n"
)
OF_A_PACKAGE = WORKLOAD.replace("lambda-function", "endpoint").replace(
    IMAGES, "model_package: {group: photos, version: 3, hardware: cpu_x86_64}"
)


def with_line(line: str, instead_of: str = "") -> str:
    """Return the workload with one line more, or in place of another."""
    return WORKLOAD.replace(instead_of, line) if instead_of else f"{WORKLOAD}    {line}\n"


def test_it_is_in_the_vpc_and_needs_no_artifact(load_dev: Callable[[str], Any]) -> None:
    function = load_dev(WORKLOAD).environment.workloads["photos"]
    assert (function.in_vpc, function.container.artifact) == (True, None)
    assert function.container.network_isolation is False


@pytest.mark.parametrize(
    ("text", "key", "words"),
    [
        (
            with_line('image: {framework: pytorch, version: "2.6"}', IMAGES),
            "container.image",
            "have no Lambda runtime interface",
        ),
        (
            with_line("763104351884", "111122223333"),
            "container.images.cpu_x86_64.account",
            "build one from public.ecr.aws/lambda/python",
        ),
        (with_line("cuda", "cpu_x86_64"), "container.images.cuda", "has CPUs only"),
        (with_line("instances: {}"), "instances", "memory_mb says how much memory"),
        (with_line("pipeline: {}"), "pipeline", "put the steps into its image"),
        (
            with_line("model_package: {group: photos, version: 3, hardware: cpu_x86_64}", IMAGES),
            "container.model_package",
            "Lambda starts no model package",
        ),
        (with_line("timeout_s: 3"), "timeout_s", "follows from the latency and the cold start"),
        (with_line("rollout: {strategy: rolling}"), "rollout.strategy", "none, canary, linear"),
        (
            with_line("rollout: {strategy: none, share_percent: 5}"),
            "rollout.share_percent",
            "has no effect: all of the traffic moves at once",
        ),
        (
            with_line("rollout: {strategy: canary, wait_interval_s: 90}"),
            "rollout.wait_interval_s",
            "is 90; CodeDeploy waits whole minutes: write a multiple of 60",
        ),
        (
            with_line("rollout: {strategy: canary, termination_wait_s: 60}"),
            "rollout.termination_wait_s",
            "a version that has lost its traffic costs nothing",
        ),
        (with_line("memory_mb: 10241"), "memory_mb", "at most 10,240"),
        (
            with_line("provisioned_concurrency: 901"),
            "provisioned_concurrency",
            "is 901, above what a lambda-function answers at once (900)",
        ),
        (with_line("{max_p95_ms: 900001}", "{max_p95_ms: 9000}"), "latency.max_p95_ms", "900,000"),
        (
            with_line("{images: 1, payload_mb: 7}", "{images: 1}"),
            "request.payload_mb",
            "functions take requests of 6 MB",
        ),
        (
            with_line(f"{IMAGES}\n      environment: {{AWS_REGION: eu-west-1}}", IMAGES),
            "container.environment.AWS_REGION",
            "Lambda sets this variable itself",
        ),
        (
            with_line("alarms: {server_error_rate: {above_percent: 2}}"),
            "alarms.server_error_rate",
            "write error_rate",
        ),
        (
            IN_ANY_MODE + "    lambda_runtime: true\n    mode: serverless\n",
            "lambda_runtime",
            "has no effect beside mode: serverless",
        ),
        (
            IN_ANY_MODE.replace("111122223333", "763104351884") + "    lambda_runtime: true\n",
            "lambda_runtime",
            "needs container.images.cpu_x86_64, an image of yours",
        ),
        (
            IN_ANY_MODE
            + "    lambda_runtime: true\n    access: {callers: ['arn:aws:iam::111122223333:role/app']}\n",
            "access",
            "allow the roles by a policy of yours",
        ),
        (
            with_line('scaling: {schedules: {nights: {at: "20:00", time_zone: Europe/Berlin}}}'),
            "scaling.schedules.nights",
            "never changes anything",
        ),
        (
            with_line("access: {callers: ['arn:aws:iam::111122223333:role/app']}"),
            "access",
            "allow a role lambda:InvokeFunction",
        ),
        (
            OF_A_PACKAGE + "    lambda_runtime: true\n",
            "lambda_runtime",
            "has no effect beside container.model_package",
        ),
    ],
)
def test_what_does_not_go_is_said_at_its_key(
    message_for: MessageFor, text: str, key: str, words: str
) -> None:
    message = message_for(text)
    place = f"workloads.photos.{key}\n"
    assert place in message
    assert words in message.split(place, 1)[1]


def test_a_raised_quota_is_stated_by_max_concurrency(load_dev: Callable[[str], Any]) -> None:
    text = with_line("max_concurrency: 3000\n    provisioned_concurrency: 1200")
    assert load_dev(text).environment.workloads["photos"].provisioned_concurrency == 1200
