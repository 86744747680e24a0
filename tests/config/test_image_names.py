"""Images by framework and version: what they stand for in a region, and every name that stands for none."""

from collections.abc import Callable
from typing import Any

import pytest

from sizewell.config.container import AcceleratedServingImage, Image, ServingContainer
from sizewell.config.environment import Environment

SERVES = "workloads: {support-bert: {container: {images: null, image: %s}}}"
TRAINS = "workloads: {nightly-lora: {container: {images: null, image: %s}}}"
SERVES_ON = "workloads: {support-bert: {container: {images: {cuda: null, %s}}}}"
AT = "workloads.support-bert.container"
OWN = '{account: "111122223333", repository: mine, tag: "1"}'
OF_AWS = '{account: "763104351884", repository: %s, tag: "2.6.0"}'


def loaded(load_dev: Callable[[str], Any], text: str, region: str = "us-east-1") -> Environment:
    """Return the environment of a region, where names have been looked up."""
    environment: Environment = load_dev(f"{text}\npolicy: {{region: {region}}}").environment
    return environment.part(None)


def images_of(environment: Environment, workload: str) -> Any:
    """Return the images of its container."""
    _, container = next(environment.workloads[workload].containers())
    return container.images


@pytest.mark.parametrize(
    ("region", "account"),
    [
        ("us-east-1", "763104351884"),
        ("eu-south-2", "503227376785"),
        ("us-gov-west-1", "442386744353"),
        ("cn-north-1", "727897471807"),
    ],
)
def test_a_name_stands_for_the_images_of_the_region(
    load_dev: Callable[[str], Any], region: str, account: str
) -> None:
    alone = SERVES.replace("workloads: {", "workloads: {nightly-lora: null, ")
    environment = loaded(load_dev, alone % '{framework: pytorch, version: "2.6"}', region)
    images = images_of(environment, "support-bert")
    assert images.cuda == AcceleratedServingImage(
        account=account,
        repository="pytorch-inference",
        tag="2.6.0-gpu-py312-cu124-ubuntu22.04-sagemaker",
        inference_ami_version="al2-ami-sagemaker-inference-gpu-3-1",
    )
    assert images.neuron == AcceleratedServingImage(
        account=account,
        repository="pytorch-inference-neuronx",
        tag="2.6.0-neuronx-py310-sdk2.23.0-ubuntu22.04",
    )
    assert images.cpu_arm64 == Image(
        account=account, repository="pytorch-inference-arm64", tag="2.6.0-cpu-py312-ubuntu22.04-sagemaker"
    )


def test_a_training_job_gets_the_images_for_training(load_dev: Callable[[str], Any]) -> None:
    environment = loaded(load_dev, TRAINS % '{framework: pytorch, version: "2.14"}')
    images = images_of(environment, "nightly-lora")
    assert images.by_hardware() == {
        "cuda": Image(account="763104351884", repository="pytorch", tag="2.14.0-cu133-amzn2023-sagemaker"),
        "cpu_x86_64": Image(
            account="763104351884", repository="pytorch", tag="2.14.0-cpu-amzn2023-sagemaker"
        ),
    }


def test_the_algorithms_have_a_registry_of_their_own(load_dev: Callable[[str], Any]) -> None:
    environment = loaded(load_dev, SERVES % '{framework: xgboost, version: "3.2-0"}', "eu-west-1")
    images = images_of(environment, "support-bert")
    assert images.by_hardware() == {
        "cpu_x86_64": Image(account="141502667606", repository="sagemaker-xgboost", tag="3.2-0")
    }


def test_a_kind_of_hardware_may_have_a_name_beside_an_image_of_ones_own(
    load_dev: Callable[[str], Any],
) -> None:
    text = SERVES_ON % f'neuron: {{framework: huggingface-pytorch, version: "2.8"}}, cpu_arm64: {OWN}'
    images = images_of(loaded(load_dev, text), "support-bert")
    assert images.cuda is None
    assert isinstance(images.neuron, AcceleratedServingImage)
    assert images.neuron.repository == "huggingface-pytorch-inference-neuronx"
    assert images.neuron.inference_ami_version is None
    assert images.cpu_arm64 == Image(account="111122223333", repository="mine", tag="1")


def test_each_place_has_the_images_of_its_region(load_dev: Callable[[str], Any]) -> None:
    text = """
    places: {eu: {region: eu-south-2, network: {mode: new}}}
    workloads:
      support-bert: {container: {images: null, image: {framework: pytorch, version: "2.6"}}}
      nightly-lora: {place: eu, container: {images: null, image: {framework: pytorch, version: "2.14"}}}
    """
    accounts = {}
    for _, part in load_dev(text).environment.parts():
        for name, workload in part.workloads.items():
            accounts[name] = {image.account for image in workload.container.images.by_hardware().values()}
    assert accounts == {"support-bert": {"763104351884"}, "nightly-lora": {"503227376785"}}


def test_looking_up_twice_is_looking_up_once() -> None:
    container = ServingContainer.model_validate(
        {"image": {"framework": "pytorch", "version": "2.6"}, "artifact": {"key": "models/a/model.tar.gz"}}
    )
    once = container.in_region("us-east-1")
    assert once.in_region("us-east-1") == once != container


@pytest.mark.parametrize(
    ("text", "place", "message"),
    [
        (SERVES % '{framework: pytorsh, version: "2.6"}', f"{AT}.image.framework", "did you mean pytorch?"),
        (
            SERVES % '{framework: huggingface, version: "2.6"}',
            f"{AT}.image.framework",
            "did you mean huggingface-pytorch or huggingface-sglang or huggingface-tei or",
        ),
        (
            SERVES % '{framework: pytorch, version: "2.66"}',
            f"{AT}.image.version",
            "pytorch 2.66 is not known. Versions with images for inference: 2.6, 2.7, 2.8, 2.9. Any other:",
        ),
        (
            SERVES % '{framework: pytorch, version: "2.14"}',
            f"{AT}.image.version",
            "pytorch 2.14 has images for training only",
        ),
        (SERVES % "{framework: pytorch, version: 2.6}", f"{AT}.image.version", "write it in quotes"),
        (
            TRAINS % '{framework: vllm, version: "0.31"}',
            "workloads.nightly-lora.container.image.framework",
            "AWS has no image of vllm for training, but of huggingface-pytorch, pytorch,",
        ),
        (
            SERVES_ON % 'cpu_arm64: {framework: vllm, version: "0.31"}',
            f"{AT}.images.cpu_arm64.version",
            "AWS has no image of vllm 0.31 for cpu_arm64, only for cuda",
        ),
        (
            "workloads: {support-bert: {container: {image: {framework: pytorch, version: '2.6'}}}}",
            f"{AT}.images",
            "stands beside image, which names them all; remove it, or write images: null",
        ),
        (
            "workloads: {support-bert: {container: {images: null}}}",
            f"{AT}.images",
            "give at least one image: cuda, neuron, cpu_x86_64 or cpu_arm64; or, in place of images, image:",
        ),
        (
            SERVES % '{framework: xgboost, version: "3.2-0"}' + "\npolicy: {region: ap-southeast-5}\n",
            f"{AT}.image",
            "AWS has no registry of xgboost images in ap-southeast-5: write the account, repository and tag of a copy",
        ),
        (
            SERVES_ON % 'cpu_x86_64: {framework: scikit-learn, version: "1.9-0"}'
            + "\npolicy: {region: ap-southeast-5}\n",
            f"{AT}.images.cpu_x86_64",
            "AWS has no registry of scikit-learn images in ap-southeast-5",
        ),
        (
            SERVES_ON % f"cpu_x86_64: {OF_AWS % 'pytorch-inference-arm64'}",
            f"{AT}.images.cpu_x86_64.repository",
            "pytorch-inference-arm64 is for Graviton: write it under cpu_arm64",
        ),
        (
            SERVES_ON % f"cpu_arm64: {OF_AWS % 'pytorch-inference'}",
            f"{AT}.images.cpu_arm64.repository",
            "pytorch-inference is for x86, and does not start on Graviton: write pytorch-inference-arm64 with a tag of it",
        ),
        (
            SERVES_ON % f"neuron: {OF_AWS % 'pytorch-inference-neuronx'}"
            + "\npolicy: {region: eu-south-2}\n",
            f"{AT}.images.neuron.account",
            "763104351884 is AWS's registry of other regions; that of eu-south-2 is 503227376785",
        ),
        (
            SERVES_ON % f"neuron: {OF_AWS % 'pytorch-training-neuronx'}",
            f"{AT}.images.neuron.repository",
            "the images of pytorch-training-neuronx are for training, not for inference",
        ),
    ],
    ids=lambda value: None,
)
def test_a_name_without_an_image_is_refused_with_what_to_write(
    message_for: Callable[[str], str], text: str, place: str, message: str
) -> None:
    found = message_for(text)
    assert place in found
    assert message in found


def test_nothing_is_said_of_images_that_are_not_of_aws(load_dev: Callable[[str], Any]) -> None:
    own = '{account: "111122223333", repository: pytorch-training-arm64, tag: "1"}'
    assert load_dev(SERVES_ON % f"cpu_x86_64: {own}, cpu_arm64: {OWN}")
