"""A price list server, and no credentials."""

from collections.abc import Iterator

import pytest

from tests.price_list.price_lists import (
    EC2_TRAPS,
    TRAPS,
    PriceLists,
    of_ec2,
    of_sagemaker,
    offer_file,
    path_of,
    serve,
)


@pytest.fixture(autouse=True)
def _no_credentials(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN", "AWS_PROFILE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    monkeypatch.setenv("AWS_CONFIG_FILE", "/dev/null")
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", "/dev/null")
    monkeypatch.setattr("sizewell.price_list.public_files.FIRST_WAIT_S", 0.001)


@pytest.fixture
def lists() -> Iterator[PriceLists]:
    """Return a server with a small price list of us-east-1."""
    usages = ("hosting", "training", "processing", "transform", "notebook")
    found = PriceLists(
        {
            path_of("AmazonSageMaker"): offer_file(
                (*TRAPS, *(of_sagemaker("ml.g5.xlarge", usage, "1.4080000000") for usage in usages))
            ),
            path_of("AmazonEC2"): offer_file((of_ec2("g5.xlarge", "1.0060000000"), *EC2_TRAPS)),
        }
    )
    with serve(found.answer) as url:
        found.url = url
        yield found
