import functools
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from sizewell import config
from sizewell.config import ConfigError, Fault, environment_names, load_environment
from sizewell.config.yaml_source import parse_yaml
from sizewell.facts.compliance_packs import NagPack
from sizewell.kinds.real_time_endpoint.config import RealTimeEndpoint


def test_environment_is_base_with_the_differences(load_dev: Callable[[str], Any]) -> None:
    loaded = load_dev(
        "policy:\n  nag_packs: [hipaa-security]\n"
        "workloads:\n  support-bert:\n    latency: {max_p99_ms: 300}\n  nightly-lora: null\n"
    )
    assert loaded.environment.name == "dev"
    assert loaded.environment.policy.nag_packs == (NagPack.HIPAA_SECURITY,)
    assert list(loaded.environment.workloads) == ["support-bert"]
    endpoint = loaded.environment.workloads["support-bert"]
    assert isinstance(endpoint, RealTimeEndpoint)
    assert (endpoint.latency.max_p95_ms, endpoint.latency.max_p99_ms) == (100, 300)


def test_traffic_of_users(load_dev: Callable[[str], Any]) -> None:
    loaded = load_dev(
        "workloads:\n  support-bert:\n    traffic:\n      peak_concurrent_users: 5\n"
        "      peak_requests_per_second: null\n      average_requests_per_second: null\n"
    )
    assert loaded.environment.workloads["support-bert"].traffic.peak_concurrent_users == 5


def test_sources_locate_what_is_written_and_what_is_not(directory: Path) -> None:
    locate = load_environment(directory, "dev").sources.locate

    def place(*path: str) -> str:
        return f"{locate(path).file}:{locate(path).line}"

    assert place("policy", "allow_spot") == "config/dev.yaml:2"
    assert place("workloads", "support-bert", "latency", "max_p95_ms") == "config/base.yaml:19"
    assert place("workloads", "support-bert", "scaling", "headroom") == "config/base.yaml:8"
    assert place("name") == "config/dev.yaml:1"
    assert place("storage") == "config/base.yaml:1"


def test_every_key_that_is_written_has_its_line(directory: Path) -> None:
    (directory / "dev.yaml").write_text("policy:\n  margin: 0.1\n  nag_packs:\n  - hipaa-security\n")
    lines = load_environment(directory, "dev").sources.lines()
    expected = {
        "name": "dev.yaml:1",
        "policy": "base.yaml:2",
        "policy.account": "base.yaml:3",
        "policy.margin": "dev.yaml:2",
        "policy.nag_packs": "dev.yaml:3",
        "policy.nag_packs.0": "dev.yaml:4",
        "policy.region": "base.yaml:4",
    }
    assert {key: lines[key] for key in lines if key.split(".")[0] in ("name", "policy")} == expected


def test_directory_is_shown_as_given(directory: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    absolute = directory.resolve()
    assert load_environment(directory, "dev").sources.locate(("policy",)).file == "config/base.yaml"
    assert load_environment(absolute, "dev").sources.locate(("policy",)).file == f"{absolute}/base.yaml"
    monkeypatch.chdir(absolute)
    with pytest.raises(ConfigError, match=r"^\.\./config/dve\.yaml\n"):
        load_environment(Path("../config"), "dve")


def test_environment_names_are_sorted_and_leave_other_files_out(directory: Path) -> None:
    for file in ("prod.yaml", "selection.lock.yaml", "schema.json"):
        (directory / file).write_text("{}", "utf-8")
    assert environment_names(directory) == ("dev", "prod")
    assert environment_names(directory / "absent") == ()


def test_faults_are_unique_sorted_and_cut_visibly() -> None:
    faults = [Fault("b.yaml", n, None, ("k",), None, "is wrong") for n in range(60, 0, -1)]
    error = ConfigError([*faults, *faults, Fault("a.yaml", 99, None, (), None, "is worse")])
    assert len(error.faults) == 61
    assert error.faults[0].file == "a.yaml"
    assert [fault.line for fault in error.faults[1:]] == list(range(1, 61))
    assert error.render().endswith("b.yaml:49  k\n  is wrong\n... and 11 more; mend these first")


def paths_of(value: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    if isinstance(value, dict):
        for key, below in value.items():
            yield (*path, key)
            yield from paths_of(below, (*path, key))


@pytest.mark.parametrize("wrong", [None, 5, 0.5, True, "x", [], [{"a": 1}], {}, {"a": {"b": 1}}])
def test_any_value_at_any_key_is_accepted_or_explained(
    directory: Path, base_text: str, wrong: object
) -> None:
    root, _ = parse_yaml(base_text, "base.yaml")
    assert root is not None
    explained = 0
    for path in paths_of(root.plain()):
        data = root.plain()
        parent = functools.reduce(lambda below, key: below[key], path[:-1], data)
        parent[path[-1]] = wrong
        (directory / "base.yaml").write_text(json.dumps(data), "utf-8")
        try:
            load_environment(directory, "dev")
        except ConfigError:
            explained += 1
    assert explained > 30


def test_public_names_exist() -> None:
    assert all(getattr(config, name) is not None for name in config.__all__)  # type: ignore[attr-defined]
    with pytest.raises(AttributeError, match="nothing"):
        _ = config.nothing  # type: ignore[attr-defined]
