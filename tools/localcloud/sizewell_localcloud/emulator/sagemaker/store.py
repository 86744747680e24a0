"""The records of SageMaker, by account and region."""

from threading import RLock
from typing import Any

from ministack.core.responses import AccountRegionScopedDict

from sizewell_localcloud.emulator.sagemaker import history

Record = dict[str, Any]

models = AccountRegionScopedDict()
endpoint_configs = AccountRegionScopedDict()
endpoints = AccountRegionScopedDict()
components = AccountRegionScopedDict()
jobs = AccountRegionScopedDict()
"""Jobs of all kinds, by ``(kind, name)``."""
notebooks = AccountRegionScopedDict()
lifecycle_configs = AccountRegionScopedDict()
mlflow_apps = AccountRegionScopedDict()
model_groups = AccountRegionScopedDict()
model_packages = AccountRegionScopedDict()
"""Versions of models, by ARN."""
tags = AccountRegionScopedDict()
"""Tags by ARN, as a map."""

lock = RLock()
"""Whoever changes a record, or copies one that may change, holds it."""

_ALL = (
    models,
    endpoint_configs,
    endpoints,
    components,
    jobs,
    notebooks,
    lifecycle_configs,
    mlflow_apps,
    model_groups,
    model_packages,
    tags,
)


def reset() -> None:
    """Forget everything."""
    for table in _ALL:
        table.clear()
    history.reset()


def tag_map(pairs: list[dict[str, str]] | None) -> dict[str, str]:
    """Return tags as a map."""
    return {pair["Key"]: pair["Value"] for pair in pairs or []}


def tag_list(arn: str) -> list[dict[str, str]]:
    """Return the tags of a resource as the API writes them, sorted."""
    return [{"Key": key, "Value": value} for key, value in sorted((tags.get(arn) or {}).items())]
