"""Keys, buckets, parameters, queues and topics."""

from collections.abc import Iterator

from sizewell.review.cost.charges import Amounts, Charge, Count, by_count, by_use, unknown
from sizewell.review.cost.pricer import PlannedStack, prices
from sizewell.templates.template import Resource
from sizewell.templates.values import flag, text

ONE = Amounts.fixed(1)
#: By the tier of a parameter: the name of its price.
_PARAMETERS = {"Standard": "standard_parameter", "Advanced": "advanced_parameter"}


@prices("AWS::KMS::Key", "AWS::KMS::ReplicaKey")
def key(_: Resource, stack: PlannedStack) -> Iterator[Charge]:
    """Yield what a key costs before its first rotation: each of the first two adds as much again."""
    name = "customer-managed key"
    yield from by_count("KMS", name, Count(ONE, name), stack.price("KMS", "key"))
    yield from by_use("KMS", "requests", stack.price("KMS", "request"))


@prices("AWS::S3::Bucket")
def bucket(_: Resource, stack: PlannedStack) -> Iterator[Charge]:
    """Yield what is paid for what a bucket holds and is asked for."""
    yield from by_use("S3", "storage", stack.price("S3", "storage_gb_month"))
    yield from by_use("S3", "PUT and LIST requests", stack.price("S3", "put_request"))
    yield from by_use("S3", "GET requests", stack.price("S3", "get_request"))


@prices("AWS::SSM::Parameter")
def parameter(resource: Resource, stack: PlannedStack) -> Iterator[Charge]:
    """Yield what a parameter costs: nothing in the standard tier."""
    tier = text(resource.written.get("Tier", "Standard"))
    if tier is None or tier not in _PARAMETERS:
        yield from unknown("Systems Manager", "parameter")
        return
    name = f"{tier.lower()} parameter"
    price = stack.price("Systems Manager", _PARAMETERS[tier])
    yield from by_count("Systems Manager", name, Count(ONE, name), price)


@prices("AWS::SQS::Queue")
def queue(resource: Resource, stack: PlannedStack) -> Iterator[Charge]:
    """Yield what the requests of a queue cost."""
    fifo = flag(resource.written.get("FifoQueue"))
    price = stack.price("SQS", "fifo_request" if fifo else "request")
    yield from by_use("SQS", "FIFO requests" if fifo else "requests", price)


@prices("AWS::SNS::Topic")
def topic(_: Resource, stack: PlannedStack) -> Iterator[Charge]:
    """Yield what the requests of a topic cost; deliveries depend on the protocol and are not told apart."""
    yield from by_use("SNS", "requests", stack.price("SNS", "request"))
