"""Price lists in the shape that AWS documents, and a server on loopback that hands them out, or fails in a given way."""

import json
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Product = dict[str, Any]
PARTS = {
    "hosting": "Host",
    "training": "Train",
    "processing": "Processing",
    "transform": "Tsform",
    "notebook": "Notebk",
    "cluster": "Cluster",
}
ON_DEMAND_LINUX = {
    "operatingSystem": "Linux",
    "tenancy": "Shared",
    "preInstalledSw": "NA",
    "capacitystatus": "Used",
    "locationType": "AWS Region",
}


def product(attributes: Mapping[str, str], usd: str, unit: str = "Hrs") -> Product:
    """Return a product with its terms, as one text of GetProducts has them."""
    return {
        "product": {"productFamily": "ML Instance", "attributes": dict(attributes)},
        "terms": {
            "OnDemand": {
                "T": {
                    "effectiveDate": "2026-11-01T00:00:00Z",
                    "priceDimensions": {"D": {"unit": unit, "pricePerUnit": {"USD": usd}, "appliesTo": []}},
                }
            }
        },
        "publicationDate": "2026-11-20T10:00:00Z",
    }


def of_sagemaker(name: str, usage: str, usd: str) -> Product:
    usage_type = f"USE1-{PARTS[usage]}:{name}"
    return product({"usagetype": usage_type, "instanceName": name, "regionCode": "us-east-1"}, usd)


def of_ec2(name: str, usd: str, **attributes: str) -> Product:
    return product({**ON_DEMAND_LINUX, "instanceType": name, **attributes}, usd)


#: What must not be taken for an hour of an instance on demand.
TRAPS = (
    product({"usagetype": "USE1-TrainingPlanUpfrontFee:ml.p4d.24xlarge"}, "13.57", "Quantity"),
    product({"usagetype": "USE1-TrSpt:ml.g5.xlarge", "component": "Training"}, "0.42"),
    product({"usagetype": "USE1-AsyncInf:ml.g5.xlarge", "component": "Hosting"}, "1.41"),
    product({"usagetype": "USE1-Studio:JupyterLab-ml.g5.xlarge"}, "1.42"),
    product({"usagetype": "USE1-Host:ml.g5.xlarge"}, "0.0000000000"),
    product({"usagetype": "USE1-Host:ml.g5.xlarge"}, "99", "Quantity"),
    product({"usagetype": "USE1-Data-Bytes-In"}, "0.016", "GB"),
)
EC2_TRAPS = (
    of_ec2("g5.xlarge", "7", tenancy="Dedicated"),
    of_ec2("g5.xlarge", "8", operatingSystem="Windows"),
    of_ec2("g5.xlarge", "0.9", locationType="AWS Local Zone"),
    of_ec2("g5.xlarge", "0.0000000000", capacitystatus="AllocatedCapacityReservation"),
    of_ec2("m5", "5"),
)


def offer_file(
    products: Iterator[Product] | tuple[Product, ...], published: str = "2026-11-20T10:00:00Z"
) -> bytes:
    """Return products as a price list file of a service and region."""
    found = {f"SKU{number:05}": one for number, one in enumerate(products)}
    return json.dumps(
        {
            "formatVersion": "v1.0",
            "offerCode": "AmazonSageMaker",
            "publicationDate": published,
            "products": {sku: {"sku": sku, **one["product"]} for sku, one in found.items()},
            "terms": {
                "OnDemand": {sku: one["terms"]["OnDemand"] for sku, one in found.items()},
                "Reserved": {"SKU00000": {"huge": "x" * 100}},
            },
        },
        indent=1,
    ).encode()


@dataclass
class PriceLists:
    """What the server has, and how it fails: ``failures`` are taken one by one, before it answers as it should."""

    files: dict[str, bytes]
    failures: list[str] = field(default_factory=list)
    asked: list[tuple[str, dict[str, str]]] = field(default_factory=list)
    """Paths and headers."""
    url: str = ""

    def answer(self, handler: BaseHTTPRequestHandler) -> None:
        self.asked.append((handler.path, dict(handler.headers)))
        failure = self.failures.pop(0) if self.failures else ""
        content = self.files.get(handler.path)
        if content is None or failure.isdigit():
            handler.send_error(int(failure or 403))
            return
        etag = f'"{hash(content)}"'
        if handler.headers.get("If-None-Match") == etag:
            handler.send_response(304)
            handler.end_headers()
            return
        start = 0
        if handler.headers.get("If-Range") == etag:
            start = int(handler.headers["Range"].removeprefix("bytes=").removesuffix("-"))
        handler.send_response(206 if start else 200)
        handler.send_header("ETag", etag)
        handler.send_header("Content-Length", str(len(content) - start))
        handler.end_headers()
        end = start + (len(content) - start) // 2 if failure == "breaks" else len(content)
        handler.wfile.write(content[start:end])


@contextmanager
def serve(answer: Callable[[BaseHTTPRequestHandler], None]) -> Iterator[str]:
    """Yield the URL of a server on loopback."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            answer(self)

        do_POST = do_GET  # noqa: N815 - the name is that of http.server

        def log_message(self, *_: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def path_of(service: str, region: str = "us-east-1") -> str:
    return f"/offers/v1.0/aws/{service}/current/{region}/index.json"
