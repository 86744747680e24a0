"""The table of the images: dates that are dates, sources, and which tag is of which version."""

import csv
import re
from datetime import date, timedelta

import pytest

from sizewell.config import load_environment
from sizewell.config.container import Image
from sizewell.facts.container_images import (
    HARDWARE,
    Framework,
    Job,
    image_releases,
    images_of,
    is_arm64,
    jobs_of,
    release_of,
    versions_of,
)
from sizewell.facts.image_registries import TABLE as REGISTRIES
from sizewell.facts.image_registries import registry_account, registry_accounts
from sizewell.instance_selection import HardwareKind
from sizewell.instance_selection.catalog import regions
from sizewell.kinds.real_time_endpoint.config import RealTimeEndpoint
from tests.synthesis import PROJECT_ROOT
from tools.image_page import PAGE, page

IMAGE = re.compile(r'account: "763104351884"\n +repository: (\S+)\n +tag: (\S+)\n')
EXAMPLES = (
    PROJECT_ROOT / "config" / "base.yaml",
    *sorted((PROJECT_ROOT / "sizewell" / "cli" / "templates").rglob("*.yaml.jinja2")),
)
#: A path in the repository at a commit, or a page.
SOURCE = re.compile(r"(docs/\S+\.(yml|md)@[0-9a-f]{7}|https://\S+)( |;|$)")


def test_every_release_stands_once_with_its_source() -> None:
    keys = [(release.framework, release.repository, release.version) for release in image_releases()]
    assert len(set(keys)) == len(keys)
    for release in image_releases():
        source, *more = release.source.split("; ")
        assert all(SOURCE.match(one) or one.startswith("released: ") for one in more), release
        assert SOURCE.match(source), release


def test_a_name_stands_for_one_image_of_each_kind_of_hardware() -> None:
    tags = [
        (release.framework, release.version, job, hardware)
        for release in image_releases()
        for job in release.jobs
        for hardware in release.tags
    ]
    assert len(set(tags)) == len(tags) > 70
    assert set(HARDWARE) == set(HardwareKind)
    for framework in Framework:
        assert any(versions_of(framework, job) for job in Job)


def test_tags_say_what_their_columns_say() -> None:
    for release in image_releases():
        assert is_arm64(release.repository) is ("cpu_arm64" in release.tags), release
        for hardware, tag in release.tags.items():
            assert release_of(release.repository, tag) is not None
            # Of the algorithms, tags are versions.
            words = {
                "cuda": "gpu|cu1[1-3]|^2[0-9]",
                "neuron": "neuronx",
                "cpu_x86_64": "cpu|^[0-9]-|^[0-9][.]",
            }
            assert re.search(words.get(hardware, "cpu"), tag), tag
            assert ("neuron" in tag) is (hardware == "neuron"), tag


def test_every_region_has_its_registry() -> None:
    with REGISTRIES.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(registry_accounts()) == len(rows)
    for row in rows:
        assert re.fullmatch(r"[0-9]{12}", row["account"])
        assert SOURCE.match(row["source"])
        assert date.fromisoformat(row["read"])
    assert {release.registry for release in image_releases()} == {row["registry"] for row in rows}
    assert [
        region for region in regions() if registry_account("deep-learning-containers", region) is None
    ] == []
    assert registry_account("sagemaker-algorithms", "ap-southeast-5") is None


def test_the_guide_lists_what_is_known() -> None:
    assert PAGE.read_text("utf-8") == page(), "run: make docs"


def test_versions_are_in_their_order_and_have_tags() -> None:
    assert versions_of(Framework.PYTORCH, Job.TRAINING)[-3:] == ("2.12", "2.13", "2.14")
    assert "2.5" not in versions_of(Framework.PYTORCH, Job.TRAINING)  # its patches ended, no tag is known
    assert versions_of(Framework.VLLM, Job.TRAINING) == ()
    assert jobs_of("pytorch") == {Job.TRAINING}
    assert jobs_of("sagemaker-xgboost") == set(Job)
    assert jobs_of("my-own") == frozenset()


def test_one_version_may_be_in_several_repositories() -> None:
    found = images_of(Framework.PYTORCH, "2.6", Job.INFERENCE)
    assert {hardware: release.repository for hardware, release in found.items()} == {
        "cuda": "pytorch-inference",
        "cpu_x86_64": "pytorch-inference",
        "cpu_arm64": "pytorch-inference-arm64",
        "neuron": "pytorch-inference-neuronx",
    }


def test_dates_are_in_their_order_and_no_support_is_invented() -> None:
    for release in image_releases():
        assert date.fromisoformat(release.read) >= date.fromisoformat(release.released or "2022-01-01")
        if release.end_of_patch is None:
            continue
        assert release.released, release
        support = date.fromisoformat(release.end_of_patch) - date.fromisoformat(release.released)
        # AWS promises a year, and has added up to one more.
        assert timedelta(days=365) <= support <= timedelta(days=731), release


@pytest.mark.parametrize(
    ("repository", "tag", "version"),
    [
        ("pytorch-inference", "2.6.0-gpu-py312-cu124-ubuntu22.04-sagemaker", "2.6"),
        ("pytorch-inference", "2.6-gpu-py312", "2.6"),
        ("pytorch-training", "2.10.0-gpu-py313-cu130-ubuntu22.04-sagemaker", "2.10"),
        ("pytorch-training", "2.1.0-gpu", "2.1"),
        ("pytorch", "2.14-cu133-amzn2023-sagemaker", "2.14"),
        ("sagemaker-xgboost", "3.0-5", "3.0-5"),
        ("sagemaker-xgboost", "3.0-5-cpu-py3", "3.0-5"),
        ("tei", "2.0.1-tei1.9.4-gpu-py310-cu129-ubuntu24.04", "1.9.4"),
        ("pytorch-inference", "2.60.0-gpu", None),
        ("pytorch-inference", "latest", None),
        ("sagemaker-xgboost", "3.0-51", None),
        ("my-pytorch-inference", "2.6.0-gpu", None),
    ],
)
def test_a_tag_is_of_the_version_that_it_begins_with(repository: str, tag: str, version: str | None) -> None:
    release = release_of(repository, tag)
    assert (release.version if release else None) == version


def test_the_images_that_we_bring_are_the_newest_that_are_known() -> None:
    newest = {(release.framework, release.repository): release for release in image_releases()}
    images = [image for path in EXAMPLES for image in IMAGE.findall(path.read_text("utf-8"))]
    assert len(images) == sum(path.read_text("utf-8").count('"763104351884"') for path in EXAMPLES) > 8
    for repository, tag in images:
        assert release_of(repository, tag) in newest.values(), (repository, tag)


def test_the_container_for_large_models_runs_vllm_as_its_guide_says() -> None:
    # Async mode replaces the rolling batch of LMI, and is to be its only mode:
    # https://github.com/deepjavalibrary/djl-serving/blob/master/serving/docs/lmi/user_guides/vllm_user_guide.md
    workloads = load_environment(PROJECT_ROOT / "config", "prod").environment.workloads
    assistant = workloads["assistant"]
    assert isinstance(assistant, RealTimeEndpoint)
    container = assistant.container
    assert isinstance(container.images.cuda, Image)
    assert container.images.cuda.repository == "djl-inference"
    options = {key: value for key, value in container.environment.items() if key.startswith("OPTION_")}
    assert options == {
        "OPTION_ASYNC_MODE": "true",
        "OPTION_ROLLING_BATCH": "disable",
        "OPTION_ENTRYPOINT": "djl_python.lmi_vllm.vllm_async_service",
        "OPTION_MAX_MODEL_LEN": "4096",
    }
