"""Images in ECR beside the instance types that run them."""

import json
from io import BytesIO
from typing import Any
from urllib.error import URLError

import pytest

from sizewell.account.before import images
from sizewell.account.before.images import IMAGES
from sizewell.account.finding import Finding, Outcome
from sizewell.planning.build import build_plan
from sizewell.planning.plan import DeploymentPlan
from sizewell.targets.eks.queue_worker.plan_model import EksQueueWorkerPlan
from tests.account.builders import Call, Refusal, ScriptedAccount, example, findings
from tests.instance_selection.builders import catalog, gpu_instance
from tests.planning.builders import endpoint, environment

URI = "763104351884.dkr.ecr.us-east-1.amazonaws.com/pytorch-inference:2.6.0-gpu"
DIGEST = f"sha256:{'0' * 64}"
#: Of a type that SageMaker has, and the catalog with it.
REAL = build_plan(
    environment({"plants": endpoint()}),
    catalog(gpu_instance("ml.g5.xlarge"), usd_per_hour={"ml.g5.xlarge": 1.0}),
)
ASKED = {
    "registryId": "763104351884",
    "repositoryName": "pytorch-inference",
    "imageIds": [{"imageTag": "2.6.0-gpu"}],
    "acceptedMediaTypes": list(images._MANIFESTS),
}


def image(manifest: dict[str, Any]) -> dict[str, Any]:
    return {"images": [{"imageManifest": json.dumps(manifest)}], "failures": []}


def single(size: int = 3_000_000_000) -> dict[str, Any]:
    return image({"config": {"digest": DIGEST}, "layers": [{"size": size}]})


def several(*architectures: str) -> dict[str, Any]:
    manifests = [
        {"platform": {"architecture": name, "os": "linux"}, "digest": DIGEST} for name in architectures
    ]
    return image({"manifests": manifests})


def found(*calls: Call, plan: DeploymentPlan = REAL) -> Finding:
    (finding,) = findings(IMAGES, plan, ScriptedAccount({"ecr": calls}))
    assert finding.subject == URI
    return finding


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Answer the one read over HTTPS with what is in the list, which then holds the address."""
    answers: list[str] = []

    def urlopen(url: str, timeout: float) -> BytesIO:
        answer = answers.pop()
        answers.append(url)
        if answer == "nothing":
            raise URLError("unreachable")
        return BytesIO(answer.encode())

    monkeypatch.setattr(images, "urlopen", urlopen)
    return answers


LAYER: Call = (
    "get_download_url_for_layer",
    {"downloadUrl": "https://example.com/config"},
    {
        "registryId": "763104351884",
        "repositoryName": "pytorch-inference",
        "layerDigest": DIGEST,
    },
)


def test_an_image_that_is_built_for_the_type_passes(read: list[str]) -> None:
    read.append('{"architecture": "amd64", "os": "linux"}')

    finding = found(("batch_get_image", single(), ASKED), LAYER)
    assert (finding.outcome, finding.says) == (Outcome.PASS, "exists for amd64, 3.0 GB compressed")
    assert read == ["https://example.com/config"]


def test_an_image_of_another_architecture_fails_before_a_container_does(read: list[str]) -> None:
    read.append('{"architecture": "arm64", "os": "linux"}')

    finding = found(("batch_get_image", single()), LAYER)
    assert (finding.outcome, finding.says) == (Outcome.FAIL, "it is built for arm64, and runs on amd64")
    assert finding.to_do == "build it with docker buildx build --platform linux/amd64"


@pytest.mark.parametrize("answer", ["nothing", "no JSON", "{}"])
def test_an_image_whose_configuration_is_not_read_exists_all_the_same(answer: str, read: list[str]) -> None:
    read.append(answer)

    finding = found(("batch_get_image", single()), LAYER)
    assert (finding.outcome, finding.says) == (
        Outcome.PASS,
        "exists, 3.0 GB compressed; for which architecture it is built was not read",
    )


def test_without_the_right_to_its_layers_an_image_exists_all_the_same() -> None:
    denied: Call = ("get_download_url_for_layer", Refusal("AccessDeniedException"))

    assert found(("batch_get_image", single()), denied).outcome is Outcome.PASS


def test_nothing_is_read_without_encryption(read: list[str]) -> None:
    read.append('{"architecture": "arm64"}')
    plain: Call = ("get_download_url_for_layer", {"downloadUrl": "http://example.com/config"})

    assert "was not read" in found(("batch_get_image", single()), plain).says
    assert read == ['{"architecture": "arm64"}']


@pytest.mark.parametrize("uri", ["docker.io/envoyproxy/envoy:v1", URI.replace("us-east-1", "eu-west-1")])
def test_an_image_that_is_not_in_ecr_of_the_region_is_unknown(uri: str) -> None:
    plan = example("eks-queue-worker")
    (worker,) = plan.of(EksQueueWorkerPlan)
    of_cluster = {"cluster": worker.cluster.model_copy(update={"proxy_image": uri})}
    moved = plan.model_copy(update={"workloads": (worker.model_copy(update=of_cluster),)})
    denied: Call = ("batch_get_image", Refusal("AccessDeniedException"))

    proxy = findings(IMAGES, moved, ScriptedAccount({"ecr": [denied]}))[0]
    assert (proxy.subject, proxy.says) == (uri, "it is not in Amazon ECR of us-east-1")
    assert proxy.outcome is Outcome.UNKNOWN


def test_a_list_of_images_states_its_architectures() -> None:
    of_digest = ASKED | {"imageIds": [{"imageDigest": DIGEST}]}

    listed = several("amd64", "arm64", "unknown")
    finding = found(("batch_get_image", listed), ("batch_get_image", single(), of_digest))
    assert (finding.outcome, finding.says) == (Outcome.PASS, "exists for amd64, arm64, 3.0 GB compressed")


def test_a_list_without_the_architecture_fails() -> None:
    assert found(("batch_get_image", several("arm64"))).outcome is Outcome.FAIL


@pytest.mark.parametrize(
    ("code", "outcome", "to_do"),
    [
        ("ImageNotFound", Outcome.FAIL, "name an image that AWS publishes: sizewell guide images"),
        ("UpstreamUnavailable", Outcome.UNKNOWN, "try again"),
    ],
)
def test_an_image_that_is_not_given_has_the_words_of_ecr(code: str, outcome: Outcome, to_do: str) -> None:
    failure = {"failureCode": code, "failureReason": "Requested image not found"}

    finding = found(("batch_get_image", {"images": [], "failures": [failure]}))
    assert (finding.outcome, finding.says) == (outcome, f"{code}: Requested image not found")
    assert finding.to_do == to_do


def test_a_repository_that_is_missing_fails() -> None:
    finding = found(("batch_get_image", Refusal("RepositoryNotFoundException")))
    assert finding.says == "there is no repository pytorch-inference in 763104351884"


def test_a_registry_that_does_not_let_the_caller_read_is_unknown() -> None:
    finding = found(("batch_get_image", Refusal("AccessDeniedException")))
    assert (finding.outcome, finding.to_do) == (
        Outcome.UNKNOWN,
        "allow ecr:BatchGetImage, ecr:GetDownloadUrlForLayer",
    )


def test_an_image_that_is_larger_than_the_volume_of_its_nodes_fails() -> None:
    plan = example("eks-deployment")
    uris = {image.uri for workload in plan.workloads for image in workload.images} | {
        "111122223333.dkr.ecr.us-east-1.amazonaws.com/envoyproxy/envoy:distroless-v1.36.2"
    }
    denied: Call = ("get_download_url_for_layer", Refusal("AccessDeniedException"))
    calls = [call for _ in uris for call in (("batch_get_image", single(60_000_000_000)), denied)]

    found = findings(IMAGES, plan, ScriptedAccount({"ecr": calls}))
    assert {finding.subject for finding in found} == uris
    outcomes = {finding.says.partition("volume ")[2]: finding.outcome for finding in found}
    # Volumes of 80 and 84 GiB have room for it.
    assert outcomes == {"51 GiB": Outcome.FAIL, "": Outcome.PASS}


def test_functions_state_an_architecture_in_place_of_a_type() -> None:
    calls = [
        ("batch_get_image", several("amd64")),
        ("batch_get_image", single()),
        ("batch_get_image", several("arm64")),
    ]

    right, wrong = findings(IMAGES, example("lambda-function"), ScriptedAccount({"ecr": calls}))
    assert (right.outcome, wrong.outcome) == (Outcome.PASS, Outcome.FAIL)
    assert wrong.says == "it is built for arm64, and runs on amd64"
