"""Who may invoke the endpoint of a stack, and by which way."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from constructs_lib.endpoints.endpoint_access import EndpointAccess, EndpointAccessProps
from constructs_lib.endpoints.endpoint_api import EndpointApi, EndpointApiProps
from constructs_lib.policies.statements import Statement
from sizewell.kinds.serverless_endpoint.plan_model import ServerlessEndpointPlan
from sizewell.planning.endpoint_plan_model import EndpointPlan
from sizewell.planning.foundation_plan_model import NewNetworkPlan
from sizewell.stacks.workload_stack import props_of

if TYPE_CHECKING:
    from sizewell.stacks.endpoint_stack import EndpointStack
    from sizewell.stacks.serverless_stack import ServerlessStack


def add_access(
    stack: "EndpointStack | ServerlessStack",
    plan: EndpointPlan | ServerlessEndpointPlan,
    statements: Sequence[Statement],
) -> None:
    """Give what invoking the endpoint of a stack takes to the roles of its plan, and put its API before it."""
    access = plan.access
    assert access is not None
    if access.role_arns or access.role_arns_elsewhere:
        EndpointAccess(
            stack,
            "Access",
            props=props_of(EndpointAccessProps, access, statements=statements),
        )
    if access.api_gateway is not None:
        network = stack.foundation_plan.network
        EndpointApi(
            stack,
            "Api",
            props=stack.props(
                EndpointApiProps,
                access.api_gateway,
                endpoint=stack.endpoint.endpoint,
                endpoint_name=plan.endpoint_name,
                names_model=isinstance(plan, EndpointPlan) and plan.multi_model is not None,
                # A VPC of ours is another one when its range changes.
                redeployed_with=network.cidr if isinstance(network, NewNetworkPlan) else network.vpc_id,
            ),
        )
