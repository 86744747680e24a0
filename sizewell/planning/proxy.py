"""The variables by which a container without network isolation finds the proxy, and passes it by.

In a VPC of our own, S3 and the services with an interface endpoint are called directly: the endpoints are there for that, and
nothing else in the VPC is AWS. In a VPC that exists we do not know which endpoints it has: there, AWS is called through the
proxy as everything else is, unless ``bypass`` says otherwise.
"""

from collections.abc import Iterator

from sizewell.config.environment import Environment
from sizewell.config.request_members import ENDPOINT_ENVIRONMENT, TRAINING_ENVIRONMENT
from sizewell.facts.interface_endpoints import EXPERIMENTS, PRIVATE_APIS, REGISTRY
from sizewell.facts.lambda_functions import MAX_ENVIRONMENT_BYTES, MODEL_S3_URI
from sizewell.facts.processing_jobs import MAX_VARIABLE_CHARACTERS
from sizewell.facts.proxy import BYPASS_VARIABLES, NEVER_PROXIED, PROXY_VARIABLES, URL_VARIABLES
from sizewell.facts.regions import url_suffix_of
from sizewell.planning.errors import PlanFault
from sizewell.planning.foundation_plan_model import ExistingNetworkPlan, FoundationPlan, NewNetworkPlan
from sizewell.planning.lambda_plan_model import LambdaFunctionPlan
from sizewell.planning.notebook_plan_model import NotebookPlan
from sizewell.planning.plan import AnyWorkloadPlan
from sizewell.planning.processing_plan_model import ProcessingJobPlan
from sizewell.planning.training_plan_model import TrainedModelPlan

_LIMITS = {
    "training-job": TRAINING_ENVIRONMENT,
    "tuning-job": TRAINING_ENVIRONMENT,
    "processing-job": MAX_VARIABLE_CHARACTERS,
}
#: The region whose S3 has an older name besides: https://docs.aws.amazon.com/sdkref/latest/guide/feature-s3-regional.html
_GLOBAL_S3_REGION = "us-east-1"


def proxy_variables(
    plan: AnyWorkloadPlan,
    environment: Environment,
    network: NewNetworkPlan | ExistingNetworkPlan,
) -> dict[str, str]:
    """Return what a container is told of the proxy, where there is one and the container calls anything."""
    proxy = environment.network.proxy
    if proxy is None or plan.network_isolation or not plan.in_vpc or isinstance(plan, NotebookPlan):
        return {}  # A notebook has no variables: people state the proxy in it.
    region = environment.policy.region
    hosts = (*NEVER_PROXIED, *_instances(plan), *_aws_hosts(network, region), *proxy.bypass)
    return {
        **dict.fromkeys(URL_VARIABLES, proxy.url),
        **dict.fromkeys(BYPASS_VARIABLES, ",".join(dict.fromkeys(hosts))),
    }


def variable_faults(plan: AnyWorkloadPlan, foundation: FoundationPlan) -> Iterator[PlanFault]:
    """Yield a fault when AWS does not take as many hosts, or as much with what is set for the user."""
    if isinstance(plan, LambdaFunctionPlan):
        yield from _too_much_for_lambda(plan, foundation)
        return
    length = len(plan.environment.get(BYPASS_VARIABLES[0], ""))
    _, limit = _LIMITS.get(plan.kind, ENDPOINT_ENVIRONMENT)
    if length > limit:
        yield PlanFault(
            ("network", "proxy", "bypass"),
            f"{BYPASS_VARIABLES[0]} of {plan.name} has {length} characters, with AWS and the instances of the job "
            f"among the hosts; SageMaker takes {limit} at most",
            "name a domain, such as .example.com, instead of its hosts",
        )


def _too_much_for_lambda(plan: LambdaFunctionPlan, foundation: FoundationPlan) -> Iterator[PlanFault]:
    ours = {name: plan.environment[name] for name in PROXY_VARIABLES if name in plan.environment}
    if plan.artifact_key is not None:
        ours[MODEL_S3_URI] = f"s3://{foundation.artifact_bucket_name}/{plan.artifact_key}"
    size, of_ours = (
        sum(len(f"{name}{value}".encode()) for name, value in variables.items())
        for variables in (plan.environment | ours, ours)
    )
    if size > MAX_ENVIRONMENT_BYTES:
        told = f", {of_ours:,} of them set for you" if ours else ""
        yield PlanFault(
            ("workloads", plan.name, "container", "environment"),
            f"holds {size:,} bytes{told}; Lambda takes {MAX_ENVIRONMENT_BYTES:,} at most, names and values together",
            "put some into the image"
            + (", or name domains in network.proxy.bypass instead of their hosts" if len(ours) > 1 else ""),
        )


def _instances(plan: AnyWorkloadPlan) -> Iterator[str]:
    """Yield the names that instances of one job have for each other; gRPC, for one, asks a proxy for them.

    https://docs.aws.amazon.com/sagemaker/latest/dg/your-algorithms-training-algo-running-container.html
    """
    if isinstance(plan, TrainedModelPlan | ProcessingJobPlan):
        count = max(attempt.instance_count for attempt in plan.attempts)
        yield from (f"algo-{number}" for number in range(1, count + 1) if count > 1)


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
