"""Rules of experiments: there is an MLflow to record them in, and the container reaches it."""

from collections.abc import Iterator

from sizewell.config.arn_rules import elsewhere
from sizewell.config.base import without
from sizewell.config.environment import Environment
from sizewell.config.network import NewNetwork
from sizewell.config.request_members import Violation
from sizewell.config.training import TrainedModel
from sizewell.facts.mlflow import APP_REGIONS, is_app


def experiment_violations(environment: Environment) -> Iterator[Violation]:
    """Yield every violation, in the order of the configuration."""
    arn, region = environment.existing.mlflow_arn, environment.policy.region
    recorded = {
        name: one
        for name, one in environment.workloads.items()
        if isinstance(one, TrainedModel) and one.experiment is not None
    }
    if environment.mlflow_app:
        if arn is not None:
            yield (
                ("mlflow_app",),
                "existing.mlflow_arn names another one; remove one of the two",
            )
        elif region not in APP_REGIONS:
            yield (
                ("mlflow_app",),
                f"CloudFormation makes no MLflow App in {region}; name an MLflow of the region in existing.mlflow_arn",
            )
    if arn is not None:
        for reason in elsewhere(arn, environment.policy, "partition", "region"):
            yield ("existing", "mlflow_arn"), f"the MLflow {reason}"
    if recorded and (environment.mlflow_app or (arn is not None and is_app(arn))):
        yield from _app_is_reached(environment)
    for name, job in recorded.items():
        path = ("workloads", name, "experiment")
        if job.container.network_isolation:
            yield (
                path,
                "a container with network isolation calls nothing, so it cannot record its runs; write "
                f"container.network_isolation: false, or {without('experiment')}",
            )
        if arn is None and not environment.mlflow_app:
            yield (
                path,
                "there is no MLflow to record runs in; write mlflow_app: true for one that is made, or name one of the "
                "account in existing.mlflow_arn",
            )


def _app_is_reached(environment: Environment) -> Iterator[Violation]:
    """AWS documents an interface endpoint for tracking servers only.

    https://docs.aws.amazon.com/sagemaker/latest/dg/mlflow-interface-endpoint.html; an App is called at another host,
    mlflow.sagemaker.REGION.app.aws.
    """
    if isinstance(environment.network, NewNetwork) and environment.network.proxy is None:
        yield (
            ("mlflow_app",) if environment.mlflow_app else ("existing", "mlflow_arn"),
            "an MLflow App is called over the internet, which the VPC of network.mode: new has no way to; state network.proxy, "
            "use network.mode: existing with a VPC that has one, or name a tracking server in existing.mlflow_arn, which has an "
            "interface endpoint",
        )
