from pathlib import Path

import pytest

from sizewell_localcloud.variables import (
    client_environment,
    client_variables,
    server_variables,
    without_foreign,
)

URL, SECRET = "http://127.0.0.1:4000", "of this start"
FOREIGN = {
    "AWS_PROFILE": "production",
    "AWS_SESSION_TOKEN": "of a real account",
    "AWS_ENDPOINT_URL_S3": "https://s3.example.com",
    "CDK_DEFAULT_ACCOUNT": "999999999999",
    "HTTPS_PROXY": "http://proxy:3128",
    "http_proxy": "http://proxy:3128",
    "all_proxy": "socks5://proxy",
    "DOCKER_HOST": "tcp://build-machine:2375",
    "LOCALSTACK_PERSISTENCE": "1",
    "RDS_PERSIST": "1",
    "PYTHONPATH": "/elsewhere",
}


def test_nothing_that_leads_outside_is_handed_on() -> None:
    assert without_foreign({**FOREIGN, "HOME": "/home/me", "LANG": "C.UTF-8"}) == {
        "HOME": "/home/me",
        "LANG": "C.UTF-8",
    }


def test_a_client_talks_to_loopback_as_the_account(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name, value in FOREIGN.items():
        monkeypatch.setenv(name, value)
    variables = client_environment(URL, SECRET, "111122223333", "eu-west-1", tmp_path)
    assert set(FOREIGN) & set(variables) == {"AWS_SESSION_TOKEN"}
    assert variables["AWS_SESSION_TOKEN"] == SECRET
    assert variables["AWS_ENDPOINT_URL"] == URL
    assert variables["AWS_ACCESS_KEY_ID"] == "111122223333"
    assert variables["AWS_REGION"] == variables["AWS_DEFAULT_REGION"] == "eu-west-1"
    assert variables["AWS_CONFIG_FILE"] == variables["AWS_SHARED_CREDENTIALS_FILE"] == "/dev/null"
    assert variables["AWS_EC2_METADATA_DISABLED"] == variables["CDK_DISABLE_CLI_TELEMETRY"] == "true"
    assert variables["CDK_HOME"] == str(tmp_path)


def test_the_variables_for_a_shell_are_part_of_those_for_a_child(tmp_path: Path) -> None:
    shell = client_variables(URL, SECRET, "111122223333", "eu-west-1")
    child = client_environment(URL, SECRET, "111122223333", "eu-west-1", tmp_path)
    assert shell.items() <= child.items()


def test_the_server_listens_on_loopback_and_writes_into_its_folder(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for name, value in FOREIGN.items():
        monkeypatch.setenv(name, value)
    variables = server_variables(4000, SECRET, tmp_path, 0.001)
    assert variables["BIND_HOST"] == variables["MINISTACK_HOST"] == "127.0.0.1"
    assert variables["GATEWAY_PORT"] == "4000"
    assert variables["AWS_SESSION_TOKEN"] == SECRET
    assert variables["SFN_WAIT_SCALE"] == "0.001"
    assert variables["DOCKER_HOST"] == f"unix://{tmp_path}/no-docker.sock"
    for folder in ("TMPDIR", "STATE_DIR", "S3_DATA_DIR"):
        assert Path(variables[folder]).is_relative_to(tmp_path)
    for listener in ("IOT_MTLS_ENABLED", "SFTP_ENABLED", "USE_SSL", "PERSIST_STATE", "S3_PERSIST"):
        assert variables[listener] == "0"
    assert "0.0.0.0" not in variables.values()
    assert "AWS_PROFILE" not in variables
