"""The AWS Price List Query API and the EC2 API, with the credentials of the caller. Imports boto3."""

import json
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from decimal import Decimal
from typing import Any

import boto3
from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError, NoCredentialsError

from sizewell.aws_errors import has_no_login, how_to_log_in, is_denied
from sizewell.price_list.errors import PriceListError
from sizewell.price_list.products import (
    EC2,
    EC2_FILTERS,
    KEYS,
    Key,
    ServicePrices,
    hourly_prices,
    service_prices,
)

#: The Query API has an endpoint in few regions, each of which answers for all:
#: https://docs.aws.amazon.com/awsaccountbilling/latest/aboutv2/using-price-list-query-api.html
_ENDPOINT_REGION = "us-east-1"
#: MaxResults of GetProducts: https://docs.aws.amazon.com/aws-cost-management/latest/APIReference/API_pricing_GetProducts.html
_PAGE_SIZE = 100
#: Values of one filter: https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_DescribeInstanceTypes.html
_FILTER_VALUES = 200
_RETRIES = Config(retries={"mode": "standard", "max_attempts": 8})
_SAY_EVERY_S = 2.0
#: Usages, and the enums of the SageMaker API that say which types they accept.
_ENUMS = {
    "hosting": "ProductionVariantInstanceType",
    "training": "TrainingInstanceType",
    "processing": "ProcessingInstanceType",
    "transform": "TransformInstanceType",
    "notebook": "InstanceType",
}

Say = Callable[[str], None]


class NotAllowedError(PriceListError):
    """The caller may not ask for this."""


class QueryApi:
    """Reads with the rights of the caller; raises ``PriceListError``, ``NotAllowedError`` where these do not suffice."""

    def __init__(self, session: boto3.Session) -> None:
        self._session = session

    @classmethod
    def connect(cls, profile: str | None) -> "QueryApi | None":
        """Return the API with the credentials of a profile; None where nobody named one, and there are none."""
        with _as_our_error("AWS"):
            session = boto3.Session(profile_name=profile)
            if session.get_credentials() is not None:
                return cls(session)
            if profile is not None:
                raise NoCredentialsError
        return None

    def prices(self, service: str, region: str, say: Say) -> ServicePrices:
        """Return the prices of a service in a region, with ``pricing:GetProducts``."""
        filters = {"regionCode": region, **(EC2_FILTERS if service == EC2 else {})}
        published: list[str] = []
        priced: list[tuple[Key, Decimal]] = []
        said_at = time.monotonic()
        with _as_our_error("pricing:GetProducts"), self._client("pricing", _ENDPOINT_REGION) as client:
            pages = client.get_paginator("get_products").paginate(
                ServiceCode=service,
                Filters=[
                    {"Type": "TERM_MATCH", "Field": field, "Value": value} for field, value in filters.items()
                ],
                PaginationConfig={"PageSize": _PAGE_SIZE},
            )
            for number, page in enumerate(pages, start=1):
                for text in page["PriceList"]:
                    found = json.loads(text)
                    key = KEYS[service](found["product"].get("attributes", {}))
                    published.append(found["publicationDate"])
                    if key:
                        priced += (
                            (key, usd) for usd in hourly_prices(found.get("terms", {}).get("OnDemand", {}))
                        )
                if time.monotonic() - said_at >= _SAY_EVERY_S:
                    said_at = time.monotonic()
                    say(f"{service} of {region}: {number * _PAGE_SIZE:,} products")
        if not published:
            raise PriceListError(f"pricing:GetProducts has no {service} in {region}: is the region right?")
        return service_prices(max(published), priced)

    def describe(self, names: Sequence[str], region: str) -> list[Mapping[str, Any]]:
        """Return what ``ec2:DescribeInstanceTypes`` says of types of EC2, as far as the region offers them."""
        found: list[Mapping[str, Any]] = []
        with _as_our_error("ec2:DescribeInstanceTypes"), self._client("ec2", region) as client:
            paginator = client.get_paginator("describe_instance_types")
            for start in range(0, len(names), _FILTER_VALUES):
                values = list(names[start : start + _FILTER_VALUES])
                for page in paginator.paginate(Filters=[{"Name": "instance-type", "Values": values}]):
                    found += page["InstanceTypes"]
        return found

    def accepted(self) -> dict[str, frozenset[str]]:
        """Return the types of each usage that the SageMaker API accepts, as the installed boto3 knows it."""
        with self._client("sagemaker", _ENDPOINT_REGION) as client:
            shape_for = client.meta.service_model.shape_for
            return {usage: frozenset(shape_for(shape).enum) for usage, shape in _ENUMS.items()}

    def _client(self, service: str, region: str) -> "closing[Any]":
        return closing(self._session.client(service, region_name=region, config=_RETRIES))


@contextmanager
def _as_our_error(action: str) -> Iterator[None]:
    try:
        yield
    except (BotoCoreError, ClientError) as error:
        if has_no_login(error):
            raise PriceListError(how_to_log_in(error)) from None
        if not isinstance(error, ClientError):
            raise PriceListError(f"{action}: {error}") from None
        # AWS gives a reason; what stands in its place may give none.
        has_reason = error.response["Error"].get("Message")
        reason = "" if has_reason else "no reason; is AWS_ENDPOINT_URL set, and not AWS?"
        raise (NotAllowedError if is_denied(error) else PriceListError)(
            f"{action}: {error}{reason}"
        ) from None
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise PriceListError(f"{action} answers in another shape than AWS documents: {error!r}") from None
