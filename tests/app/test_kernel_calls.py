"""How often an endpoint calls the kernel of CDK, which is where the time of a large synth goes: each takes 0.2 to 0.7 ms."""

from typing import Any

import pytest

from constructs_lib.jsii_runtime import use_bundled_node
from sizewell.planning import load_plan
from tests.synthesis import PROJECT_ROOT

use_bundled_node()

from aws_cdk import App  # noqa: E402  (the kernel must find its Node first)
from jsii._kernel.providers.process import _NodeProcess  # noqa: E402

from sizewell.stacks.endpoint_stack import EndpointStack  # noqa: E402

pytestmark = pytest.mark.cdk

PLAN = load_plan(PROJECT_ROOT / "config", "prod")
#: Resources are what a template is made of; all other calls only lead to them. Each alarm of a new fleet takes two, to
#: acknowledge that it tells nobody.
MAX_OTHER_CALLS = {"support-bert": 39, "plant-id": 37, "assistant": 41}


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    found: list[Any] = []
    send = _NodeProcess.send

    def counted(self: _NodeProcess, request: Any, response_type: Any) -> Any:
        found.append(request)
        return send(self, request, response_type)

    monkeypatch.setattr(_NodeProcess, "send", counted)
    return found


def test_an_endpoint_calls_the_kernel_for_its_resources_and_few_times_besides(
    cdk_context: dict[str, Any], calls: list[Any]
) -> None:
    app = App(context=cdk_context, analytics_reporting=False)
    # The first one loads modules, and makes what all share.
    EndpointStack(app, "first", plan=PLAN.endpoints[0], foundation_plan=PLAN.foundation)
    others = {}
    for plan in PLAN.endpoints:
        calls.clear()
        EndpointStack(app, plan.name, plan=plan, foundation_plan=PLAN.foundation)
        resources = [
            call for call in calls if ".aws_" in getattr(call, "fqn", "") and "Create" in type(call).__name__
        ]
        assert len(resources) > 12
        others[plan.name] = len(calls) - len(resources)
    assert {name: count for name, count in others.items() if count > MAX_OTHER_CALLS[name]} == {}
