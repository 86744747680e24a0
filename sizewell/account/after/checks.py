"""All checks after a deployment, in the order in which people read them."""

from pathlib import Path

from sizewell.account.after import stacks
from sizewell.account.after.alarms import ALARMS
from sizewell.account.after.batch import BATCH
from sizewell.account.after.eks import EKS
from sizewell.account.after.endpoints import ENDPOINTS
from sizewell.account.after.functions import FUNCTIONS
from sizewell.account.after.inference_components import INFERENCE_COMPONENTS
from sizewell.account.after.notebooks import NOTEBOOKS
from sizewell.account.after.scaling import SCALING
from sizewell.account.after.schedules import SCHEDULES
from sizewell.account.after.services import SERVICES
from sizewell.account.after.state_machines import STATE_MACHINES
from sizewell.account.after.subscriptions import SUBSCRIPTIONS
from sizewell.account.after.synthesized import synthesized_in
from sizewell.account.check import Check


def checks_after(output: Path) -> tuple[Check, ...]:
    """Return the checks; ``output`` is what cdk synth wrote last, if it is there."""
    return (
        stacks.check_of(synthesized_in(output)),
        ENDPOINTS,
        INFERENCE_COMPONENTS,
        FUNCTIONS,
        SERVICES,
        BATCH,
        EKS,
        NOTEBOOKS,
        SCALING,
        ALARMS,
        SUBSCRIPTIONS,
        SCHEDULES,
        STATE_MACHINES,
    )
