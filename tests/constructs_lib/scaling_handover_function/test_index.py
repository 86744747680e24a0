import json
import sys
import urllib.request
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from constructs_lib.scaling_handover_function import index
from constructs_lib.scaling_handover_function.index import handle, read_spec
from tests.constructs_lib.scaling_handover_function.cloudformation import connect, request
from tests.constructs_lib.scaling_handover_function.world import (
    NAME,
    Spec,
    World,
    as_cloudformation_sends_it,
    resource_id,
    spec,
    wanted,
)

SMALL, LARGE = {"primary": "ml.m5.large"}, {"primary": "ml.c6i.xlarge"}
PRIMARY = resource_id("primary")
POLICY = (PRIMARY, "InvocationsPerInstance")


@pytest.fixture
def world() -> World:
    return World(configs={"old": SMALL, "same": SMALL, "new": LARGE}, config="old")


def send(world: World, event: dict[str, Any]) -> dict[str, Any]:
    answers: list[tuple[str, dict[str, Any]]] = []
    handle(event, connect(world), lambda url, answer: answers.append((url, answer)))
    [(url, answer)] = answers
    assert url == event["ResponseURL"]
    return answer


def act(world: World, kind: str, properties: Spec, request_type: str = "Update") -> str:
    answer = send(world, request(kind, request_type, properties))
    assert answer["Status"] == "SUCCESS", answer
    action: str = answer["Data"]["Action"] if "Data" in answer else ""
    return action


def ended(world: World, properties: Spec) -> str:
    action: str = handle(properties, connect(world), lambda _url, _answer: pytest.fail("nobody asked"))[
        "Action"
    ]
    return action


def test_numbers_arrive_as_text_and_become_numbers() -> None:
    given = spec("old", bounds=(2, 6), target=712.5)
    assert read_spec(as_cloudformation_sends_it(given)) == given
    assert read_spec(json.loads(json.dumps(given))) == given


def test_an_endpoint_of_a_fixed_size_has_no_variants_in_its_spec() -> None:
    assert read_spec({"EndpointName": NAME, "EndpointConfigName": "old"})["Variants"] == []


@pytest.mark.parametrize("kind", ["release", "scaling"])
def test_an_endpoint_that_does_not_exist_yet_needs_nothing(world: World, kind: str) -> None:
    world.config = None
    assert act(world, kind, spec("old"), "Create") == "nothing"
    assert world.calls == ["describe_endpoint"]


@pytest.mark.parametrize("kind", ["release", "scaling"])
def test_an_endpoint_with_the_configuration_of_the_spec_is_registered_as_it_says(
    world: World, kind: str
) -> None:
    assert act(world, kind, spec("old")) == "asserted"
    assert world.scaling() == wanted(spec("old"))


@pytest.mark.parametrize("bounds", [None, (1, 3), (5, 9)])
def test_before_an_update_that_keeps_the_types_nothing_is_touched(
    world: World, bounds: tuple[int, int] | None
) -> None:
    act(world, "scaling", spec("old"))
    world.begin("Updating", 60.0)
    before = len(world.calls)

    assert act(world, "release", spec("same", bounds=bounds)) == "nothing"

    assert not [call for call in world.calls[before:] if not call.startswith("describe")]
    assert 60 <= world.clock_s <= 66
    world.update_endpoint("same")
    world.come_into_service()
    assert act(world, "scaling", spec("same", bounds=bounds)) == "asserted"
    assert world.scaling() == wanted(spec("same", bounds=bounds))


def test_what_holds_already_is_not_waited_for(world: World) -> None:
    assert act(world, "release", spec("old", bounds=(5, 9))) == "asserted"
    assert world.status == "Updating"
    assert act(world, "scaling", spec("old", bounds=(5, 9))) == "asserted"
    assert world.clock_s == 0


@pytest.mark.parametrize(
    "change",
    [
        {"TargetValue": 1.0},
        {"ScaleOutCooldown": 1},
        {"ScaleInCooldown": 1},
        {"PredefinedMetricSpecification": {"PredefinedMetricType": "other"}},
    ],
)
def test_a_policy_that_differs_is_waited_for(world: World, change: dict[str, Any]) -> None:
    act(world, "scaling", spec("old"))
    world.policies[POLICY] |= change
    world.begin("Updating", 60.0)
    assert act(world, "scaling", spec("old")) == "asserted"
    assert world.clock_s >= 60
    assert world.scaling() == wanted(spec("old"))


def test_bounds_that_differ_are_waited_for_and_given_up_without_failing(world: World) -> None:
    act(world, "scaling", spec("old"))
    world.begin("Updating", 1200.0)
    assert act(world, "release", spec("old", bounds=(1, 3))) == "not in time"
    assert act(world, "scaling", spec("old", bounds=(1, 3))) == "asserted"
    assert world.scaling() == wanted(spec("old", bounds=(1, 3)))


def test_a_fixed_size_needs_no_rest_to_deregister(world: World) -> None:
    act(world, "scaling", spec("old"))
    world.begin("Updating", 5000.0)
    assert act(world, "scaling", spec("old", bounds=None)) == "asserted"
    assert (world.scaling(), world.clock_s) == ({}, 0)


def test_an_update_that_is_under_way_is_waited_for_although_everything_holds(world: World) -> None:
    act(world, "scaling", spec("old"))
    world.begin("Updating", 60.0, config="same")
    assert act(world, "release", spec("old")) == "nothing"
    assert world.status == "InService"


def test_a_failed_endpoint_takes_no_update(world: World) -> None:
    act(world, "scaling", spec("old"))
    world.status = "Failed"
    answer = send(world, request("release", "Update", spec("new")))
    assert answer["Status"] == "FAILED"
    assert (
        f"endpoint {NAME} has failed (no capacity), takes no update and can only be deleted"
        in answer["Reason"]
    )
    assert world.clock_s == 0
    assert act(world, "scaling", spec("old"), "Delete") == "deregistered"


def test_a_scaled_endpoint_gets_new_bounds_and_keeps_its_policy(world: World) -> None:
    act(world, "scaling", spec("old"))
    arn = world.policies[POLICY]["ARN"]

    act(world, "scaling", spec("old", bounds=(3, 9), target=50.0))

    assert world.scaling() == wanted(spec("old", bounds=(3, 9), target=50.0))
    assert world.policies[POLICY]["ARN"] == arn


def test_policies_that_the_spec_does_not_name_are_deleted(world: World) -> None:
    act(world, "scaling", spec("old", policies=("One", "Two", "Three")))
    act(world, "scaling", spec("old", policies=("Two",)))
    assert world.scaling() == wanted(spec("old", policies=("Two",)))


@pytest.mark.parametrize("later", [LARGE, {"other": "ml.m5.large"}], ids=["another type", "no longer there"])
def test_a_registered_variant_that_changes_is_released(world: World, later: dict[str, str]) -> None:
    world.configs["new"] = later
    act(world, "scaling", spec("old"))
    assert act(world, "release", spec("new", variants=tuple(later))) == "released"
    assert world.scaling() == {}
    world.update_endpoint("new")


def test_an_unregistered_variant_stays_out_until_its_type_has_changed(world: World) -> None:
    assert act(world, "release", spec("new")) == "released"
    assert world.scaling() == {}


def test_a_variant_that_keeps_its_type_stays_registered(world: World) -> None:
    both = ("primary", "second")
    world.configs |= {"old": SMALL | {"second": "ml.g5.xlarge"}, "new": LARGE | {"second": "ml.g5.xlarge"}}
    act(world, "scaling", spec("old", variants=both))
    act(world, "release", spec("new", variants=both))
    assert list(world.targets) == [resource_id("second")]
    world.update_endpoint("new")


def test_a_variant_that_the_endpoint_does_not_have_yet_waits_for_it(world: World) -> None:
    both = ("primary", "second")
    world.configs["new"] = SMALL | {"second": "ml.g5.xlarge"}
    assert act(world, "release", spec("new", variants=both)) == "nothing"
    assert world.targets == {}
    world.config = "new"
    assert act(world, "scaling", spec("new", variants=both)) == "asserted"
    assert world.scaling() == wanted(spec("new", variants=both))


def test_instance_pools_are_types_too(world: World) -> None:
    class Pools:
        def describe_endpoint_config(self, *, EndpointConfigName: str) -> dict[str, Any]:  # noqa: N803
            second = {"old": "ml.g5.xlarge", "new": "ml.g6.xlarge"}[EndpointConfigName]
            pools = [{"InstanceType": "ml.g4dn.xlarge"}, {"InstanceType": second}]
            return {"ProductionVariants": [{"VariantName": "primary", "InstancePools": pools}]}

    aws = index.Aws(Pools(), None, lambda _s: None, lambda: 0.0)
    endpoint = {"EndpointConfigName": "old"}
    assert index._changing_variants(endpoint, spec("new"), aws) == {"primary"}


def test_a_configuration_that_somebody_deleted_counts_as_another_type(world: World) -> None:
    act(world, "scaling", spec("old"))
    del world.configs["old"]
    assert act(world, "release", spec("same")) == "released"
    assert world.scaling() == {}


def test_a_late_request_of_a_deployment_that_is_over_does_nothing(world: World) -> None:
    act(world, "scaling", spec("old"))
    answer = send(world, request("release", "Update", spec("gone")))
    assert answer["Status"] == "FAILED"
    assert "no endpoint configuration gone: the request is out of date" in answer["Reason"]
    assert world.scaling() == wanted(spec("old"))


@pytest.mark.parametrize("status", ["Updating", "SystemUpdating", "RollingBack", "Creating"])
def test_a_release_deregisters_first_and_then_waits_for_the_endpoint(world: World, status: str) -> None:
    act(world, "scaling", spec("old"))
    world.begin(status, 240.0)
    act(world, "release", spec("new"))
    assert world.status == "InService"
    assert 240 <= world.clock_s <= 260
    after = world.calls[world.calls.index("deregister_scalable_target") + 1 :]
    assert "describe_endpoint" in after


def test_a_release_looks_again_after_a_quiet_look(world: World) -> None:
    aws = connect(world)
    meanwhile = [
        lambda: world.targets.update({PRIMARY: (2, 6)}),  # a repair of the deployment before comes late
        lambda: None,
        lambda: world.begin("Updating", 60.0),  # and the registration changed the number of instances
    ]

    def sleep(seconds: float) -> None:
        world.pass_time(seconds)
        if meanwhile:
            meanwhile.pop(0)()

    handle(
        request("release", "Update", spec("new")),
        index.Aws(aws.sagemaker, aws.autoscaling, sleep, aws.remaining_s),
        lambda *_: None,
    )
    assert meanwhile == []
    assert world.scaling() == {}
    assert world.status == "InService"


def test_an_endpoint_that_runs_the_configuration_of_the_spec_is_asked_no_types(world: World) -> None:
    del world.configs["old"]
    assert act(world, "scaling", spec("old")) == "asserted"
    assert world.scaling() == wanted(spec("old"))


def test_registering_waits_for_the_endpoint(world: World) -> None:
    world.begin("RollingBack", 60.0)
    assert act(world, "release", spec("old")) == "asserted"
    assert 60 <= world.clock_s <= 65


def test_a_decision_is_made_anew_after_every_wait(world: World) -> None:
    world.begin("Updating", 60.0, config="new")
    assert act(world, "release", spec("old")) == "released"
    assert world.scaling() == {}


def test_an_endpoint_that_stays_busy_fails_a_release_in_time_for_the_answer(world: World) -> None:
    act(world, "scaling", spec("old"))
    world.begin("Updating", 5000.0)
    answer = send(world, request("release", "Update", spec("new")))
    assert answer["Status"] == "FAILED"
    assert answer["Reason"] == (
        f"StillBusyError: endpoint {NAME} is still Updating: wait until it is in service and deploy again"
    )
    assert 800 < world.clock_s < 900 - 60


def test_what_cannot_be_registered_in_time_is_left_to_repair(world: World) -> None:
    world.begin("RollingBack", 1500.0)
    assert act(world, "release", spec("old")) == "not in time"
    assert ended(world, spec("old")) == "repaired"
    assert world.scaling() == wanted(spec("old"))


@pytest.mark.parametrize("status", ["Failed", "OutOfService", "UpdateRollbackFailed", "Deleting"])
def test_an_endpoint_that_does_not_serve_fails_no_rollback(world: World, status: str) -> None:
    world.status = status
    assert act(world, "release", spec("old")) == "nothing"
    assert act(world, "scaling", spec("old")) == "nothing"
    assert ended(world, spec("old")) == "nothing"


@pytest.mark.parametrize(
    ("call", "code"),
    [
        ("register_scalable_target", "ConcurrentUpdateException"),
        ("put_scaling_policy", "ObjectNotFoundException"),
        ("deregister_scalable_target", "ConcurrentUpdateException"),
        ("describe_scaling_policies", "InternalServiceException"),
        ("describe_endpoint", "ThrottlingException"),
        ("describe_endpoint", "InternalFailure"),
        ("describe_endpoint", "RequestTimeout"),
        ("describe_endpoint_config", "Throttling"),
        ("describe_endpoint_config", "ServiceUnavailable"),
        ("describe_scalable_targets", "TooManyRequestsException"),
        ("describe_endpoint", ConnectionError()),
        (
            "register_scalable_target",
            type("ReadTimeoutError", (type("HTTPClientError", (Exception,), {}),), {})(),
        ),
    ],
    ids=str,
)
def test_what_passes_is_tried_again(world: World, call: str, code: str | Exception) -> None:
    act(world, "scaling", spec("old"))
    world.fail_next = {call: [code, code]}
    act(world, "release", spec("new"))
    world.config = "new"
    act(world, "scaling", spec("new"))
    assert world.scaling() == wanted(spec("new"))
    assert world.fail_next[call] == []


@pytest.mark.parametrize("name", ["ConnectTimeoutError", "EndpointConnectionError", "ReadTimeoutError"])
def test_what_botocore_raises_without_an_answer_has_the_roots_that_are_named(name: str) -> None:
    exceptions = pytest.importorskip("botocore.exceptions")
    roots = {base.__name__ for base in getattr(exceptions, name).__mro__}
    assert roots & index.TRANSIENT


def test_a_deletion_and_a_repair_are_tried_again_too(world: World) -> None:
    world.fail_next = {"describe_endpoint": ["ThrottlingException"]}
    assert ended(world, spec("old")) == "repaired"
    world.fail_next = {"describe_endpoint": ["ThrottlingException"]}
    assert act(world, "scaling", spec("old"), "Delete") == "deregistered"
    assert world.scaling() == {}


def test_what_never_passes_is_told_in_time(world: World) -> None:
    world.fail_next = {"describe_endpoint": ["ThrottlingException"] * 1000}
    assert send(world, request("release", "Update", spec("new")))["Reason"].startswith("RefusedError: Thrott")
    assert 800 < world.clock_s < 900 - 60


def test_endpoints_of_one_deployment_do_not_ask_in_step(world: World) -> None:
    pauses = set()
    for name in ("a", "b"):
        world.fail_next = {"describe_endpoint": ["ThrottlingException"]}
        world.clock_s = 0.0
        send(world, request("release", "Update", spec("old", name=name)))
        pauses.add(world.clock_s)
    assert len(pauses) == 2
    assert all(index.POLL_S - 1 < pause <= index.POLL_S for pause in pauses)


def test_what_does_not_pass_is_told_at_once(world: World) -> None:
    world.fail_next = {"register_scalable_target": ["AccessDeniedException"]}
    answer = send(world, request("scaling", "Create", spec("old")))
    assert (answer["Status"], answer["Reason"]) == ("FAILED", "RefusedError: AccessDeniedException: no")
    assert answer["PhysicalResourceId"] == f"{NAME}/scaling"
    assert world.clock_s == 0


def test_a_long_reason_is_cut_to_what_cloudformation_reads(world: World) -> None:
    world.fail_next = {"describe_endpoint": ["x" * 9000]}
    assert len(json.dumps(send(world, request("scaling", "Create", spec("old"))))) < 4096


def test_properties_that_make_no_sense_are_answered_too(world: World) -> None:
    event = request("scaling", "Create", spec("old"))
    del event["ResourceProperties"]["EndpointName"]
    assert send(world, event)["Reason"] == "KeyError: 'EndpointName'"


def test_an_answer_names_what_it_answers(world: World) -> None:
    assert send(world, request("release", "Create", spec("old"))) == {
        "StackId": "stack",
        "RequestId": "request",
        "LogicalResourceId": "release",
        "PhysicalResourceId": f"{NAME}/release",
        "Status": "SUCCESS",
        "Data": {"Action": "asserted"},
    }


def test_another_endpoint_is_another_resource(world: World) -> None:
    answer = send(world, request("scaling", "Update", spec("old", name="demo-prod-other")))
    assert answer["PhysicalResourceId"] == "demo-prod-other/scaling"


def test_deleting_the_scaling_deregisters_and_deleting_the_release_does_not(world: World) -> None:
    act(world, "scaling", spec("old"))
    act(world, "release", spec("old"), "Delete")
    assert world.scaling() == wanted(spec("old"))
    act(world, "scaling", spec("old"), "Delete")
    assert world.scaling() == {}


@pytest.mark.parametrize("endpoint", ["old", None])
def test_deleting_what_is_gone_succeeds(world: World, endpoint: str | None) -> None:
    world.config = endpoint
    assert act(world, "scaling", spec("old"), "Delete") == "deregistered"
    world.targets[PRIMARY] = (1, 2)
    world.fail_next = {"deregister_scalable_target": ["ObjectNotFoundException"]}
    assert act(world, "scaling", spec("old"), "Delete") == "deregistered"


def test_repair_registers_what_is_missing(world: World) -> None:
    assert ended(world, spec("old")) == "repaired"
    assert world.scaling() == wanted(spec("old"))
    del world.policies[POLICY]
    assert ended(world, spec("old")) == "repaired"
    assert world.scaling() == wanted(spec("old"))
    assert ended(world, spec("old")) == "nothing"


def test_repair_leaves_what_somebody_changed_by_hand(world: World) -> None:
    act(world, "scaling", spec("old"))
    world.targets[PRIMARY] = (20, 40)
    world.policies[POLICY]["TargetValue"] = 1.0
    world.policies[PRIMARY, "ByHand"] = {}
    del world.policies[POLICY]

    assert ended(world, spec("old")) == "repaired"

    assert world.targets[PRIMARY] == (20, 40)
    assert (PRIMARY, "ByHand") in world.policies
    assert POLICY in world.policies


@pytest.mark.parametrize("config", ["same", "new", None])
def test_repair_does_nothing_to_another_configuration(world: World, config: str | None) -> None:
    world.config = config
    assert ended(world, spec("old")) == "nothing"
    assert world.scaling() == {}


def test_repair_fails_when_the_endpoint_stays_busy_so_that_people_hear_of_it(world: World) -> None:
    world.begin("Updating", 5000.0)
    with pytest.raises(index.StillBusyError):
        ended(world, spec("old"))


def test_the_log_tells_every_decision_in_one_line_and_no_secret(
    world: World, capsys: pytest.CaptureFixture[str]
) -> None:
    act(world, "scaling", spec("old"))
    world.fail_next = {"describe_endpoint": ["AccessDeniedException"]}
    send(world, request("release", "Update", spec("new")))
    lines = capsys.readouterr().out.splitlines()
    assert [json.loads(line) for line in lines] == [
        {"endpoint": NAME, "request": "Update", "action": "asserted"},
        {"physical_id": f"{NAME}/release", "failed": "RefusedError: AccessDeniedException: no"},
    ]


def test_every_request_has_the_form_of_the_api(world: World) -> None:
    loaders = pytest.importorskip("botocore.loaders")
    model = pytest.importorskip("botocore.model")
    validate = pytest.importorskip("botocore.validate")
    act(world, "scaling", spec("old", policies=("One", "Two")))
    act(world, "scaling", spec("old", policies=("Two",)))
    act(world, "scaling", spec("old"), "Delete")

    api = model.ServiceModel(loaders.Loader().load_service_model("application-autoscaling", "service-2"))
    operations = {name.lower(): api.operation_model(name) for name in api.operation_names}
    for name, parameters in world.requests:
        shape = operations[name.replace("_", "")].input_shape
        assert not validate.ParamValidator().validate(parameters, shape).has_errors(), name
    assert len({name for name, _ in world.requests}) == 6


def test_the_handler_connects_to_both_services_and_watches_its_time(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    fakes = {
        "sagemaker": connect(world).sagemaker,
        "application-autoscaling": connect(world).autoscaling,
    }
    boto3, config = ModuleType("boto3"), ModuleType("botocore.config")
    boto3.client = lambda name, config: fakes[name]  # type: ignore[attr-defined]
    config.Config = lambda **retries: retries  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "boto3", boto3)
    monkeypatch.setitem(sys.modules, "botocore", ModuleType("botocore"))
    monkeypatch.setitem(sys.modules, "botocore.config", config)
    monkeypatch.setattr(index, "put", lambda _url, answer: answers.append(answer))
    monkeypatch.setattr(index.time, "sleep", world.pass_time)
    answers: list[dict[str, Any]] = []
    context = SimpleNamespace(get_remaining_time_in_millis=lambda: (900 - world.clock_s) * 1000)

    index.handler(request("scaling", "Create", spec("old")), context)
    world.begin("Updating", 5000.0)
    index.handler(request("release", "Update", spec("new")), context)

    assert [answer["Status"] for answer in answers] == ["SUCCESS", "FAILED"]
    assert 800 < world.clock_s < 900


def test_an_answer_is_sent_again_until_it_arrives(monkeypatch: pytest.MonkeyPatch) -> None:
    sent: list[urllib.request.Request] = []

    class Response:
        def close(self) -> None: ...

    def urlopen(request: urllib.request.Request, timeout: float) -> Response:
        sent.append(request)
        if len(sent) < 3:
            raise OSError("no route")
        return Response()

    pauses: list[float] = []
    monkeypatch.setattr(index.urllib.request, "urlopen", urlopen)
    monkeypatch.setattr(index.time, "sleep", pauses.append)

    index.put("https://cloudformation.example/answer", {"Status": "SUCCESS"})

    assert [(r.get_method(), r.data, r.headers) for r in sent] == [
        ("PUT", b'{"Status": "SUCCESS"}', {"Content-type": ""})
    ] * 3
    assert pauses == [1.0, 4.0]


def test_an_answer_that_never_arrives_is_an_error_for_lambda_to_repeat(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def urlopen(*_: Any, **__: Any) -> None:
        raise OSError("no route")

    pauses: list[float] = []
    monkeypatch.setattr(index.urllib.request, "urlopen", urlopen)
    monkeypatch.setattr(index.time, "sleep", pauses.append)
    with pytest.raises(OSError, match="no route"):
        index.put("https://cloudformation.example/answer", {})
    worst_s = sum(pauses) + 10 * (len(pauses) + 1)
    assert worst_s < index.MARGIN_S, "the last attempt has to fit into what is left of the invocation"
