"""Who may invoke an endpoint, as the plan says it: roles here, roles elsewhere, and streams where a model writes."""

import pytest

from sizewell.config.base import ConfigModel
from sizewell.kinds.serverless_endpoint.plan_model import ServerlessEndpointPlan
from sizewell.planning.build import build_plan
from sizewell.planning.endpoint_plan_model import EndpointPlan
from sizewell.planning.serialization import plan_from_json, plan_to_json
from sizewell.planning.workload_plan import AccessPlan
from tests.planning.builders import endpoint, environment, llm_endpoint, mode_endpoint
from tests.planning.builders import queue_endpoint as queue
from tests.planning.test_model_containers import step
from tests.planning.test_multi_model_plan import several
from tests.planning.test_serverless_plan import serverless
from tests.serving_modes.builders import SMALL

HERE = ("arn:aws:iam::111122223333:role/app", "arn:aws:iam::111122223333:role/company/batch")
PARTNER = "arn:aws:iam::444455556666:role/partner"
CALLERS = {"callers": [HERE[1], PARTNER, HERE[0]]}


@pytest.mark.parametrize(
    ("workload", "streams"),
    [
        (endpoint(access=CALLERS), False),
        (llm_endpoint(access=CALLERS), True),
        (llm_endpoint(access=CALLERS, pipeline={"after": [step("labels")]}), False),
        (mode_endpoint(access=CALLERS), False),
        (queue(access=CALLERS), False),
        (serverless(access=CALLERS), False),
        (several(access=CALLERS), False),
    ],
    ids=lambda value: getattr(value, "kind", ""),
)
def test_callers_stand_in_the_plan_in_an_order_of_their_own(workload: ConfigModel, streams: bool) -> None:
    plan = build_plan(environment({"plants": workload}), SMALL)
    expected = AccessPlan(role_arns=HERE, role_arns_elsewhere=(PARTNER,), streams=streams)
    for planned in (plan, plan_from_json(plan_to_json(plan))):
        (found,) = planned.workloads
        assert isinstance(found, EndpointPlan | ServerlessEndpointPlan)
        assert found.access == expected
