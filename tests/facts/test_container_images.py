"""The table of the images: dates that are dates, sources, and which tag is of which version."""

import re
from datetime import date, timedelta

import pytest

from sizewell.config import load_environment
from sizewell.facts.container_images import image_releases, release_of
from tests.synthesis import PROJECT_ROOT

IMAGE = re.compile(r'account: "763104351884"\n +repository: (\S+)\n +tag: (\S+)\n')
EXAMPLES = (
    PROJECT_ROOT / "config" / "base.yaml",
    *sorted((PROJECT_ROOT / "sizewell" / "cli" / "templates").rglob("*.yaml.jinja2")),
)
#: A path in the repository at a commit, or a page.
SOURCE = re.compile(r"(docs/\S+\.(yml|md)@[0-9a-f]{7}|https://\S+)( |;|$)")


def test_every_release_stands_once_with_its_source() -> None:
    keys = [(release.repository, release.version) for release in image_releases()]
    assert len(set(keys)) == len(keys)
    assert all(SOURCE.match(release.source) for release in image_releases())


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
    newest = {release.repository: release for release in image_releases()}
    images = [image for path in EXAMPLES for image in IMAGE.findall(path.read_text("utf-8"))]
    assert len(images) == sum(path.read_text("utf-8").count("tag: ") for path in EXAMPLES) > 8
    for repository, tag in images:
        assert release_of(repository, tag) == newest[repository], (repository, tag)


def test_the_container_for_large_models_runs_vllm_as_its_guide_says() -> None:
    # Async mode replaces the rolling batch of LMI, and is to be its only mode:
    # https://github.com/deepjavalibrary/djl-serving/blob/master/serving/docs/lmi/user_guides/vllm_user_guide.md
    workloads = load_environment(PROJECT_ROOT / "config", "prod").environment.workloads
    container = workloads["assistant"].container
    assert container.images.cuda is not None
    assert container.images.cuda.repository == "djl-inference"
    options = {key: value for key, value in container.environment.items() if key.startswith("OPTION_")}
    assert options == {
        "OPTION_ASYNC_MODE": "true",
        "OPTION_ROLLING_BATCH": "disable",
        "OPTION_ENTRYPOINT": "djl_python.lmi_vllm.vllm_async_service",
        "OPTION_MAX_MODEL_LEN": "4096",
    }
