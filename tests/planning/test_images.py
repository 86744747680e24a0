"""Until when AWS patches an image, and when a plan warns of it. No clock: the day is that of the data."""

import pytest

from sizewell.config.container import Image
from sizewell.facts.container_images import AVAILABLE_IMAGES, Framework, ImageRelease, Job
from sizewell.planning import build_plan, images
from sizewell.planning.images import image_warnings, plan_image
from sizewell.planning.names import Names
from sizewell.planning.plan import DeploymentPlan
from sizewell.planning.serialization import plan_from_json, plan_to_json
from sizewell.planning.workload_plan import ImagePatchesPlan, ImagePlan
from tests.instance_selection.builders import catalog, gpu_instance
from tests.planning.builders import endpoint, environment, training_job

NAMES = Names("demo", "dev", "111122223333", "us-east-1")
AWS = "763104351884"
READ = "2026-11-22"


def image(account: str = AWS, repository: str = "pytorch-inference", tag: str = "2.6.0-gpu") -> Image:
    return Image(account=account, repository=repository, tag=tag)


def release(end_of_patch: str | None) -> ImageRelease:
    return ImageRelease(
        framework=Framework.PYTORCH,
        jobs=frozenset(Job),
        registry="a test",
        repository="pytorch-inference",
        tags={},
        version="2.6",
        released="2025-01-29",
        end_of_patch=end_of_patch,
        source="a test",
        read=READ,
    )


def plan(monkeypatch: pytest.MonkeyPatch, end_of_patch: str | None) -> DeploymentPlan:
    """Return the plan of an endpoint and a job on an image that is patched until then."""
    monkeypatch.setattr(images, "release_of", lambda repository, tag: release(end_of_patch))
    workloads = {"plants": endpoint(), "train": training_job()}
    return build_plan(environment(workloads), catalog(gpu_instance("ml.g1.xlarge")))


def test_the_plan_says_until_when_an_image_is_patched_and_keeps_it_in_its_file() -> None:
    expected = ImagePatchesPlan(release="pytorch-inference 2.6", end="2026-06-30", read=READ)
    assert plan_image(image(), NAMES).patches == expected
    whole = build_plan(environment({"plants": endpoint()}), catalog(gpu_instance("ml.g1.xlarge")))
    read_back = plan_from_json(plan_to_json(whole))
    found = read_back.endpoints[0].image
    assert found is not None
    assert found.patches == expected
    assert image_warnings(read_back) == image_warnings(whole) != ()


@pytest.mark.parametrize(
    "other",
    [
        image(account="111122223333"),
        image(repository="huggingface-pytorch-inference"),
        image(repository="my-model"),
        image(tag="latest"),
    ],
    ids=["our own account", "no date published", "no image of AWS", "no version"],
)
def test_what_is_not_known_is_not_said(other: Image) -> None:
    assert plan_image(other, NAMES).patches is None


@pytest.mark.parametrize(
    ("end", "when"),
    [
        ("2026-06-30", "145 days before"),
        ("2026-11-21", "1 day before"),
        (READ, "0 days after"),
        ("2026-12-01", "9 days after"),
        ("2027-01-21", "60 days after"),
    ],
)
def test_an_image_that_is_old_or_soon_will_be_is_warned_of(
    monkeypatch: pytest.MonkeyPatch, end: str, when: str
) -> None:
    told = f"AWS patches pytorch-inference 2.6 until {end}, {when} the date of this release's data ({READ})"
    assert image_warnings(plan(monkeypatch, end)) == (
        f"plants: {told}",
        f"train: {told}",
        f"Newer images: {AVAILABLE_IMAGES}",
    )


def test_an_image_that_is_named_is_planned_and_warned_of_as_one_that_is_written_out() -> None:
    named = {
        "image": {"framework": "pytorch", "version": "2.6"},
        "artifact": {"key": "models/a/model.tar.gz"},
    }
    stated = environment({"plants": endpoint(container=named)})
    plan = build_plan(stated, catalog(gpu_instance("ml.g1.xlarge"))).endpoints[0]
    assert plan.image == ImagePlan(
        uri=f"{AWS}.dkr.ecr.us-east-1.amazonaws.com/pytorch-inference:2.6.0-gpu-py312-cu124-ubuntu22.04-sagemaker",
        repository_arn=f"arn:aws:ecr:us-east-1:{AWS}:repository/pytorch-inference",
        patches=ImagePatchesPlan(release="pytorch-inference 2.6", end="2026-06-30", read=READ),
    )
    assert plan.inference_ami_version == "al2-ami-sagemaker-inference-gpu-3-1"


@pytest.mark.parametrize("end", ["2027-01-22", "2028-02-29", None])
def test_an_image_with_time_left_or_without_a_date_is_not_warned_of(
    monkeypatch: pytest.MonkeyPatch, end: str | None
) -> None:
    assert image_warnings(plan(monkeypatch, end)) == ()
