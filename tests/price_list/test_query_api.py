"""The Price List Query API on loopback: pages, throttling, and credentials that do not suffice."""

import json
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, field
from decimal import Decimal
from http.server import BaseHTTPRequestHandler
from typing import Any

import boto3
import pytest
from botocore.stub import Stubber

from sizewell.price_list.errors import PriceListError
from sizewell.price_list.query_api import NotAllowedError, QueryApi
from tests.price_list.price_lists import EC2_TRAPS, TRAPS, Product, of_ec2, of_sagemaker, serve
from tests.price_list.test_described_types import G5


@dataclass
class Pricing:
    """Answers GetProducts two products at a time; ``errors`` are codes that come first."""

    products: dict[str, tuple[Product, ...]]
    errors: list[str] = field(default_factory=list)
    asked: list[dict[str, Any]] = field(default_factory=list)

    def answer(self, handler: BaseHTTPRequestHandler) -> None:
        body = json.loads(handler.rfile.read(int(handler.headers["Content-Length"])))
        assert handler.headers["X-Amz-Target"] == "AWSPriceListService.GetProducts"
        self.asked.append(body)
        status, answer = 200, self._page(body)
        if self.errors:
            status, answer = 400, {"__type": self.errors.pop(0), "message": "no"}
        handler.send_response(status)
        handler.send_header("Content-Type", "application/x-amz-json-1.1")
        handler.end_headers()
        handler.wfile.write(json.dumps(answer).encode())

    def _page(self, body: dict[str, Any]) -> dict[str, Any]:
        found, start = self.products[body["ServiceCode"]], int(body.get("NextToken", 0))
        page: dict[str, Any] = {"FormatVersion": "aws_v1"}
        page["PriceList"] = [json.dumps(one) for one in found[start : start + 2]]
        return page | ({"NextToken": str(start + 2)} if start + 2 < len(found) else {})


@pytest.fixture
def pricing(monkeypatch: pytest.MonkeyPatch) -> Iterator[Pricing]:
    found = Pricing(
        {
            "AmazonSageMaker": (*TRAPS, of_sagemaker("ml.g5.xlarge", "hosting", "1.4080000000")),
            "AmazonEC2": (of_ec2("g5.xlarge", "1.0060000000"), *EC2_TRAPS),
        }
    )
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "testing")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "testing")
    monkeypatch.setattr("time.sleep", lambda _: None)
    with serve(found.answer) as url:
        monkeypatch.setenv("AWS_ENDPOINT_URL_PRICING", url)
        yield found


def connected() -> QueryApi:
    api = QueryApi.connect(None)
    assert api is not None
    return api


def test_all_pages_are_read_of_one_region(pricing: Pricing) -> None:
    found = connected().prices("AmazonSageMaker", "us-east-1", print)
    assert (found.published, dict(found.usd_per_hour)) == (
        "2026-11-20",
        {("ml.g5.xlarge", "hosting"): Decimal("1.408")},
    )
    assert len(pricing.asked) == 4
    (only,) = pricing.asked[0]["Filters"]
    assert only == {"Type": "TERM_MATCH", "Field": "regionCode", "Value": "us-east-1"}


def test_of_ec2_the_api_is_asked_for_linux_on_demand(pricing: Pricing) -> None:
    found = connected().prices("AmazonEC2", "us-east-1", print)
    assert dict(found.usd_per_hour) == {("ml.g5.xlarge", "ec2"): Decimal("1.006")}
    assert {one["Field"]: one["Value"] for one in pricing.asked[0]["Filters"]} == {
        "regionCode": "us-east-1",
        "operatingSystem": "Linux",
        "tenancy": "Shared",
        "preInstalledSw": "NA",
        "capacitystatus": "Used",
        "locationType": "AWS Region",
    }


def test_throttling_is_waited_out(pricing: Pricing) -> None:
    pricing.errors = ["ThrottlingException"] * 4
    assert connected().prices("AmazonSageMaker", "us-east-1", print).usd_per_hour


def test_throttling_without_end_is_one_message(pricing: Pricing) -> None:
    pricing.errors = ["ThrottlingException"] * 100
    with pytest.raises(PriceListError, match=r"^pricing:GetProducts: .*ThrottlingException"):
        connected().prices("AmazonSageMaker", "us-east-1", print)


def test_expired_credentials_are_one_message(pricing: Pricing) -> None:
    pricing.errors = ["ExpiredTokenException"]
    with pytest.raises(PriceListError) as error:
        connected().prices("AmazonSageMaker", "us-east-1", print)
    assert str(error.value).startswith("AWS: the credentials have expired. Log in, or name a profile")
    assert not isinstance(error.value, NotAllowedError)


def test_who_may_not_ask_is_told_apart(pricing: Pricing) -> None:
    pricing.errors = ["AccessDeniedException"]
    with pytest.raises(NotAllowedError, match="AccessDenied"):
        connected().prices("AmazonSageMaker", "us-east-1", print)


def test_a_region_that_has_nothing_is_named(pricing: Pricing) -> None:
    pricing.products["AmazonSageMaker"] = ()
    with pytest.raises(PriceListError, match="has no AmazonSageMaker in eu-wst-1"):
        connected().prices("AmazonSageMaker", "eu-wst-1", print)


def test_another_shape_is_one_message(pricing: Pricing) -> None:
    pricing.products["AmazonSageMaker"] = ({"product": {}},)
    with pytest.raises(PriceListError, match="answers in another shape than AWS documents"):
        connected().prices("AmazonSageMaker", "us-east-1", print)


def test_without_credentials_there_is_no_api_and_a_named_profile_is_missed() -> None:
    assert QueryApi.connect(None) is None
    with pytest.raises(PriceListError, match="--profile"):
        QueryApi.connect("nobody")


def test_the_enums_of_sagemaker_are_those_of_the_installed_boto3(pricing: Pricing) -> None:
    accepted = connected().accepted()
    assert {len(types) > 100 for types in accepted.values()} == {True}
    assert "ml.g5.xlarge" in accepted["hosting"]


def test_types_are_described_as_far_as_the_region_has_them(monkeypatch: pytest.MonkeyPatch) -> None:
    client = boto3.client("ec2", "us-east-1", aws_access_key_id="testing", aws_secret_access_key="testing")
    names = [f"g5.{size}large" for size in range(201)]
    monkeypatch.setattr(QueryApi, "_client", lambda *_: closing(client))
    with Stubber(client) as stubber:
        for part, found in ((names[:200], [G5]), (names[200:], [])):
            filters = [{"Name": "instance-type", "Values": part}]
            stubber.add_response("describe_instance_types", {"InstanceTypes": found}, {"Filters": filters})
        assert QueryApi(boto3.Session()).describe(names, "us-east-1") == [G5]
        stubber.assert_no_pending_responses()
        stubber.add_client_error("describe_instance_types", "UnauthorizedOperation")
        with pytest.raises(NotAllowedError, match="ec2:DescribeInstanceTypes"):
            QueryApi(boto3.Session()).describe(["g5.xlarge"], "us-east-1")
