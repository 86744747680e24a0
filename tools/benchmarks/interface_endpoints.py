"""Write ``sizewell/facts/interface_endpoints.txt`` from the services that the AWS CDK knows.

python -m tools.benchmarks.interface_endpoints
"""

import re

from constructs_lib.jsii_runtime import use_bundled_node
from sizewell.facts.interface_endpoints import TABLE


def main() -> None:
    """Write the table."""
    TABLE.write_text(table_text(), encoding="utf-8")
    print(f"{TABLE.name}: {len(table_text().splitlines()):,} services")


def table_text() -> str:
    """Return a line for each service, by the name that comes after the region: sagemaker.runtime."""
    use_bundled_node()
    from aws_cdk import Stack
    from aws_cdk.aws_ec2 import InterfaceVpcEndpointAwsService as Service

    resolve = Stack().resolve
    known = (getattr(Service, name) for name in dir(Service) if re.fullmatch(r"[A-Z][A-Z0-9_]+", name))
    # A few are reached by another beginning than com.amazonaws.<region>, and S3 has its gateway endpoint.
    names = {
        service.short_name
        for service in known
        if resolve(service.name) == resolve(Service(service.short_name).name)
    }
    return "".join(f"{name}\n" for name in sorted(names - {"s3"}))


if __name__ == "__main__":
    main()
