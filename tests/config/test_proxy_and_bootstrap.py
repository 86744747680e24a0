"""The proxy of containers and the bootstrap of a company: what is refused, and where."""

from collections.abc import Callable
from typing import Any

import pytest

LoadDev = Callable[[str], Any]
MessageFor = Callable[[str], str]

PROXY = "network: {{proxy: {{url: {}}}}}\n"
OPEN = "workloads: {nightly-lora: {container: {network_isolation: false}}}\n"
URL = "network: {proxy: {url: 'http://proxy.example.com:3128'}}\n"
ROLE = "arn:aws:iam::111122223333:role/company/deploy"


def test_a_proxy_has_an_address_and_what_passes_it_by(load_dev: LoadDev) -> None:
    text = "network: {proxy: {url: 'https://proxy.example.com:443/', bypass: [.example.com, 10.0.0.0/8, host]}}\n"
    proxy = load_dev(text + OPEN).environment.network.proxy
    assert (proxy.port, proxy.bypass) == (443, (".example.com", "10.0.0.0/8", "host"))


@pytest.mark.parametrize(
    ("text", "place", "reason"),
    [
        (
            URL,
            "dev.yaml:1  network.proxy",
            "nobody uses it: every container is isolated from the network and calls nothing; remove it, or write proxy: null "
            "in the environment's file to drop what base.yaml says, or write container.network_isolation: false",
        ),
        (PROXY.format("proxy.example.com:3128") + OPEN, "dev.yaml:1  network.proxy.url", "expected text of"),
        (PROXY.format("'http://proxy.example.com'") + OPEN, "dev.yaml:1  network.proxy.url", "expected text"),
        (
            PROXY.format("'http://proxy.example.com:0'") + OPEN,
            "dev.yaml:1  network.proxy.url",
            "0 is no port: take one of 1 to 65,535",
        ),
        (
            PROXY.format("'http://team@proxy.example.com:3128'") + OPEN,
            "dev.yaml:1  network.proxy.url",
            "names a user: whoever may describe the model or the job reads it; remove it",
        ),
        (
            URL.replace("}}", ", bypass: ['*.example.com']}}") + OPEN,
            "dev.yaml:1  network.proxy.bypass",
            "expected text of at most 253 characters such as .example.com",
        ),
        (
            URL.replace("}}", ", bypass: [a, b, a]}}") + OPEN,
            "dev.yaml:1  network.proxy.bypass.2",
            "a stands twice",
        ),
        (
            URL + OPEN.replace("{network", "{environment: {no_proxy: a}, network"),
            "dev.yaml:2  workloads.nightly-lora.container.environment.no_proxy",
            "the variable is set for you, by network.proxy; remove it here",
        ),
        (
            URL
            + "workloads:\n  nightly-lora:\n    container:\n      network_isolation: false\n      environment:\n"
            + "".join(f"        V{number}: a\n" for number in range(95)),
            "dev.yaml:6  workloads.nightly-lora.container.environment",
            "makes 101 variables, with those that are set for you; SageMaker takes 100 at most",
        ),
    ],
)
def test_a_proxy_that_cannot_be_used_is_a_fault(
    text: str, place: str, reason: str, message_for: MessageFor
) -> None:
    message = message_for(text)
    assert message.startswith(f"config/{place}"), message
    assert reason in message


def test_a_password_of_the_proxy_is_shown_to_nobody(message_for: MessageFor) -> None:
    message = message_for(PROXY.format("'http://team:hunter22hunter@proxy.example.com:3128'") + OPEN)
    assert "a secret must not stand in the configuration" in message
    assert "hunter" not in message


def test_an_isolated_workload_may_have_variables_of_a_proxy(load_dev: LoadDev) -> None:
    text = "workloads: {nightly-lora: {container: {environment: {HTTP_PROXY: 'http://a:1'}}}}\n"
    assert load_dev(text).environment.network.proxy is None


def test_a_bootstrap_states_what_has_another_name(load_dev: LoadDev) -> None:
    bootstrap = load_dev(f"bootstrap: {{qualifier: Ab_9-z, deploy_role_arn: {ROLE}}}\n").environment.bootstrap
    assert (bootstrap.qualifier, bootstrap.role_arns) == ("Ab_9-z", {"deploy_role_arn": ROLE})


@pytest.mark.parametrize(
    ("text", "place", "reason"),
    [
        ("{}", "bootstrap", "names nothing of the bootstrap"),
        ("{qualifier: elevenchars}", "bootstrap.qualifier", "expected text such as company1"),
        ("{qualifier: a.b}", "bootstrap.qualifier", "up to 10 letters, digits, _ and -"),
        ("{deploy_role_arn: deploy}", "bootstrap.deploy_role_arn", "expected text of at most 600"),
        (
            f"{{lookup_role_arn: '{ROLE.replace('1111', '9999')}'}}",
            "bootstrap.lookup_role_arn",
            "the role is in the account 999922223333, but this environment is in 111122223333",
        ),
        (
            f"{{cloudformation_execution_role_arn: '{ROLE.replace('aws:', 'aws-cn:')}'}}",
            "bootstrap.cloudformation_execution_role_arn",
            "the role is in the partition aws-cn, but this environment is in aws",
        ),
        ("{bucket_prefix: ml}", "bootstrap.bucket_prefix", "ends with a slash"),
        ("{file_assets_bucket_name: Assets}", "bootstrap.file_assets_bucket_name", "expected text such as"),
    ],
)
def test_a_bootstrap_that_cannot_be_is_a_fault(
    text: str, place: str, reason: str, message_for: MessageFor
) -> None:
    message = message_for(f"bootstrap: {text}\n")
    assert message.startswith(f"config/dev.yaml:1  {place}\n"), message
    assert reason in message
