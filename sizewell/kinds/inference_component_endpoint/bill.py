"""What AWS bills for an endpoint of inference components."""

from sizewell.kinds.inference_component_endpoint.plan_model import ComponentEndpointPlan
from sizewell.planning.bill_items import bill_line
from sizewell.planning.bill_plan import BillLine
from sizewell.planning.endpoint_bill import (
    alarm_items,
    alarm_metrics,
    composite_alarm_items,
    fleet_items,
    paid_by_use_of_endpoint,
)
from sizewell.planning.kind import BillKind


def component_line(endpoint: ComponentEndpointPlan, region: str) -> BillLine:
    """Return a month of an endpoint of inference components at average load; the components themselves cost nothing."""
    components = endpoint.components.values()
    policies = [
        policy for component in components if component.scaling for policy in component.scaling.policies
    ]
    alarms = [*alarm_metrics(endpoint.alarms)]
    for component in components:
        alarms += alarm_metrics(component.alarms, component.rollout.alarms if component.rollout else ())
    items = [
        *fleet_items(region, endpoint),
        *alarm_items(region, alarms, policies),
        *composite_alarm_items(region, endpoint.composite_alarm_name),
    ]
    return bill_line(
        endpoint.name, items, paid_by_use_of_endpoint(detailed_metrics=endpoint.detailed_metrics)
    )


FACET = BillKind(line=component_line)
