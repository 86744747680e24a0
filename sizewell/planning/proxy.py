"""The variables by which a container without network isolation finds the proxy, and passes it by.

In a VPC of our own, S3 and the services with an interface endpoint are called directly: the endpoints are there for that, and
nothing else in the VPC is AWS. In a VPC that exists we do not know which endpoints it has: there, AWS is called through the
proxy as everything else is, unless ``bypass`` says otherwise.
"""

from collections.abc import Iterator

from sizewell.config.environment import Environment
from sizewell.config.request_members import ENDPOINT_ENVIRONMENT
from sizewell.facts.interface_endpoints import EXPERIMENTS, PRIVATE_APIS, REGISTRY
from sizewell.facts.proxy import BYPASS_VARIABLES, NEVER_PROXIED, URL_VARIABLES
from sizewell.facts.regions import url_suffix_of
from sizewell.instance_selection.catalog import Catalog
from sizewell.planning.errors import PlanFault
from sizewell.planning.foundation_plan_model import ExistingNetworkPlan, FoundationPlan, NewNetworkPlan
from sizewell.planning.workload_plan import WorkloadPlan

#: The region whose S3 has an older name besides: https://docs.aws.amazon.com/sdkref/latest/guide/feature-s3-regional.html
_GLOBAL_S3_REGION = "us-east-1"


def proxy_variables(
    plan: WorkloadPlan,
    environment: Environment,
    network: NewNetworkPlan | ExistingNetworkPlan,
) -> dict[str, str]:
    """Return what a container is told of the proxy, where there is one and the container calls anything."""
    proxy = environment.network.proxy
    if proxy is None or plan.network_isolation or not plan.in_vpc or not plan.has_variables:
        return {}
    region = environment.policy.region
    hosts = (*NEVER_PROXIED, *_instances(plan), *_aws_hosts(network, region), *proxy.bypass)
    return {
        **dict.fromkeys(URL_VARIABLES, proxy.url),
        **dict.fromkeys(BYPASS_VARIABLES, ",".join(dict.fromkeys(hosts))),
    }


def bypass_faults(
    plan: WorkloadPlan, _: FoundationPlan, __: Catalog, max_characters: int = ENDPOINT_ENVIRONMENT[1]
) -> Iterator[PlanFault]:
    """Yield a fault when a variable does not hold as many hosts."""
    length = len(plan.environment.get(BYPASS_VARIABLES[0], ""))
    if length > max_characters:
        yield PlanFault(
            ("network", "proxy", "bypass"),
            f"{BYPASS_VARIABLES[0]} of {plan.name} has {length} characters, with AWS and the instances of the job "
            f"among the hosts; SageMaker takes {max_characters} at most",
            "name a domain, such as .example.com, instead of its hosts",
        )


def _instances(plan: WorkloadPlan) -> Iterator[str]:
    """Yield the names that instances of one job have for each other; gRPC, for one, asks a proxy for them.

    https://docs.aws.amazon.com/sagemaker/latest/dg/your-algorithms-training-algo-running-container.html
    """
    yield from (f"algo-{number}" for number in range(1, plan.peer_count + 1) if plan.peer_count > 1)


def _aws_hosts(network: NewNetworkPlan | ExistingNetworkPlan, region: str) -> Iterator[str]:
    if isinstance(network, ExistingNetworkPlan):
        return
    domain = url_suffix_of(region)
    # Some programs take a name for that one host, and need the dot for those below it: the name of a bucket.
    for s3 in (f"s3.{region}.{domain}", *((f"s3.{domain}",) if region == _GLOBAL_S3_REGION else ())):
        yield from (s3, f".{s3}")
    for endpoint in network.interface_endpoints:
        if endpoint.service == EXPERIMENTS:
            # https://github.com/aws/sagemaker-mlflow, mlflow_sagemaker_helpers.py
            yield f"{region}.experiments.sagemaker.aws"
            continue
        # sagemaker.runtime is called at runtime.sagemaker.REGION: https://docs.aws.amazon.com/general/latest/gr/sagemaker.html
        host = f"{'.'.join(reversed(endpoint.service.split('.')))}.{region}.{domain}"
        # Each registry has a name below it: https://docs.aws.amazon.com/AmazonECR/latest/userguide/vpc-endpoints.html. And each
        # API: https://docs.aws.amazon.com/apigateway/latest/developerguide/apigateway-private-api-test-invoke-url.html
        yield f".{host}" if endpoint.service in (REGISTRY, PRIVATE_APIS) else host
