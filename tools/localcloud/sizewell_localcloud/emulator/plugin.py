"""Puts our services and types into ministack, before it serves its first request."""

from typing import Any

import ministack.app
from ministack.core import router

from sizewell_localcloud.emulator import (
    admin,
    cloud_control,
    cloudformation,
    codedeploy,
    completions,
    conditions,
    credentials,
    lambda_workers,
    scalable_targets,
    stack_operations,
    step_functions,
)
from sizewell_localcloud.emulator.alarm_types import ALARM_TYPES
from sizewell_localcloud.emulator.autoscaling_types import AUTOSCALING_TYPES
from sizewell_localcloud.emulator.batch import store as batch_store
from sizewell_localcloud.emulator.batch.resource_types import BATCH_TYPES
from sizewell_localcloud.emulator.budget_types import BUDGET_TYPES
from sizewell_localcloud.emulator.contract import missing_names
from sizewell_localcloud.emulator.ec2_types import EC2_TYPES
from sizewell_localcloud.emulator.ecs.capacity_providers import CapacityProvider
from sizewell_localcloud.emulator.ecs.services import Service
from sizewell_localcloud.emulator.ecs.task_definitions import TaskDefinition
from sizewell_localcloud.emulator.json_service import RestJsonService
from sizewell_localcloud.emulator.node_group_types import NODE_GROUP_TYPES
from sizewell_localcloud.emulator.pod_identity_types import POD_IDENTITY_TYPES
from sizewell_localcloud.emulator.sagemaker import store
from sizewell_localcloud.emulator.sagemaker.resource_types import SAGEMAKER_TYPES
from sizewell_localcloud.emulator.services import SERVICES

RESOURCE_TYPES: list[Any] = [
    *SAGEMAKER_TYPES,
    *AUTOSCALING_TYPES,
    *EC2_TYPES,
    *ALARM_TYPES,
    *BUDGET_TYPES,
    *NODE_GROUP_TYPES,
    *POD_IDENTITY_TYPES,
    *BATCH_TYPES,
    *(CapacityProvider(), TaskDefinition(), Service()),
    *codedeploy.CODEDEPLOY_TYPES,
]


def install() -> None:
    """Install everything. Raises RuntimeError when this ministack lacks a name that we need."""
    missing = missing_names()
    if missing:
        raise RuntimeError(
            f"this release of ministack has no {', '.join(missing)}: pin the release that was tested"
        )
    for service in SERVICES:
        ministack.app.SERVICE_HANDLERS[service.name] = service.handler()
        if not isinstance(service, RestJsonService):
            router.SERVICE_PATTERNS[service.name] = {"target_prefixes": [f"{service.target_prefix}."]}
    conditions.install()
    completions.install()
    cloudformation.register(RESOURCE_TYPES)
    cloud_control.install()
    step_functions.install()
    lambda_workers.install()
    credentials.install()
    stack_operations.install()
    reset_ministack = ministack.app._reset_all_state

    def reset_all() -> None:
        reset_ministack()
        store.reset()
        batch_store.reset()
        scalable_targets.reset()
        codedeploy.reset()
        admin.clear()

    ministack.app._reset_all_state = reset_all
    ministack.app.app = admin.around(ministack.app.app)
