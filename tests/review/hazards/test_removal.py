from dataclasses import replace
from typing import Any

import pytest

from sizewell.planning.saved_plan import SavedPlan
from sizewell.review.comparison import EnvironmentPair
from sizewell.review.hazards import find_hazards
from sizewell.templates.template import Stack
from tests.review.builders import assembly, resource, stack, template
from tests.review.hazards.apps import (
    alarm,
    described,
    endpoint_app,
    hazards,
    hazards_of,
    moving,
    rules,
    text,
)
from tests.review.outputs import plan_document

BUCKET, ROLE, TABLE = "AWS::S3::Bucket", "AWS::IAM::Role", "AWS::DynamoDB::Table"
OTHER = stack(template(Role=resource(ROLE)), "other")


def environment(*head_stacks: Stack, base: Stack | None = None, name: str = "dev") -> EnvironmentPair:
    base_stacks = (base, OTHER) if base else (OTHER,)
    return EnvironmentPair(
        name, assembly(*base_stacks, environment=name), assembly(*head_stacks, environment=name)
    )


def test_an_environment_that_goes() -> None:
    assert described(hazards_of(EnvironmentPair("prod", assembly(OTHER, environment="prod"), None))) == text("""
        danger environment-removed, prod/-/-: environment prod
        1 stack → none
        No deployment updates the environment any more. CDK does not delete stacks that leave the app. Everything
            keeps running and costing money, and nobody repairs it.
        Run cdk destroy for the environment from a version that still has it, or put the environment back.
        """)


def test_an_environment_that_comes() -> None:
    assert hazards_of(EnvironmentPair("prod", None, assembly(OTHER))) == ()


def test_a_stack_that_goes() -> None:
    gone = stack(template(A=resource(TABLE), B=resource(TABLE)), "gone")
    assert described(hazards_of(environment(OTHER, base=gone))) == text("""
        danger stateful-removed, dev/gone/-: 2 resources: AWS::DynamoDB::Table A and AWS::DynamoDB::Table B
        removed with the stack
        When somebody deletes the stack, CloudFormation deletes them, and what they hold is lost.
        Keep it, copy the data, or set DeletionPolicy to Retain in a deployment before this one.

        warning stack-removed, dev/gone/-: stack gone
        2 resources → none
        CDK does not delete a stack that leaves the app. The stack keeps running and costing money. No deployment
            updates it, and nothing in the app watches it. Whoever deletes it later deletes everything that it does
            not retain.
        If you no longer want the stack, make sure that nobody uses it, and run aws cloudformation delete-stack
            --stack-name gone. Otherwise put it back.
        """)
    assert hazards_of(environment(OTHER, gone)) == ()


SERVICE = resource(
    "Kubernetes::Service",
    {"metadata": {"name": "chat", "namespace": "acme-prod"}, "spec": {"ports": [{"port": 8081}]}},
)
#: Without it, a pod may call everything: here no pod is left that nothing keeps.
POLICY = resource("Kubernetes::NetworkPolicy", {"spec": {"policyTypes": ["Egress"]}})
MANIFESTS = stack(
    template(Deployment=resource("Kubernetes::Deployment"), Service=SERVICE, Policy=POLICY),
    "acme-prod-chat/main",
)


def test_manifests_of_a_workload_that_go() -> None:
    plan = SavedPlan.model_validate(
        plan_document("prod", workloads=[{"kind": "x", "name": "chat", "stack_name": "acme-prod-chat"}])
    )
    base, head = (assembly(*side, environment="prod", plan=plan) for side in ((OTHER, MANIFESTS), (OTHER,)))
    assert described(find_hazards(EnvironmentPair("prod", base, head))) == text("""
        danger stack-removed, prod/acme-prod-chat/main/- of chat: manifests/main/chat
        3 objects → none
        kubectl apply -k prunes nothing: the objects stay in the cluster and keep costing money, and nothing updates
            them. Argo CD and Flux delete them where they prune. Whoever deletes them ends all pods, and callers of
            chat.acme-prod.svc:8081 fail.
        If you no longer want them, move the callers first, and run kubectl delete -k manifests/main/chat in an output
            that still has them. Otherwise put them back.
        """)


def test_an_environment_with_manifests_that_goes() -> None:
    base = assembly(OTHER, MANIFESTS, environment="prod")
    (found,) = hazards_of(EnvironmentPair("prod", base, None))
    assert found.cause == "1 stack → none"
    assert found.what_to_do.startswith("Run kubectl delete -k manifests/main and cdk destroy for the")


def test_a_nested_stack_is_deleted() -> None:
    gone = replace(stack(template(A=resource(ROLE)), "other/Nested"), parent="other", nested_id="Nested")
    (found,) = hazards_of(environment(OTHER, base=gone))
    assert found.consequence.startswith("CloudFormation deletes the nested stack")


def test_a_stack_that_moves() -> None:
    assert described(
        hazards_of(
            environment(replace(OTHER, region="eu-west-1")),
        )
    ) == text("""
        warning stack-relocated, dev/other/-: stack other
        account and region 111122223333/us-east-1 → 111122223333/eu-west-1
        The deployment creates everything anew in the new place, without data and without artifacts. The old stack
            keeps running and costing money, and no deployment updates it.
        Move data and clients first, and delete the old stacks afterwards.
        """)


def test_stacks_that_move_together_are_one_hazard_and_no_update() -> None:
    apps = [
        stack(endpoint_app(instance_type=name, scaling="native"), "a")
        for name in ("ml.g5.xlarge", "ml.g6.xlarge")
    ]
    head = (replace(OTHER, region="eu-west-1"), replace(apps[1], region="eu-west-1"))
    (found,) = hazards_of(environment(*head, base=apps[0]))
    assert (found.rule, found.stack, found.subject) == ("stack-relocated", "", "stacks a and other")


def test_a_stack_that_may_be_deleted() -> None:
    protected = replace(OTHER, termination_protection=True)
    base, head = assembly(protected), assembly(OTHER)
    assert described(hazards_of(EnvironmentPair("dev", base, head))) == text("""
        warning termination-protection-lost, dev/other/-: stack other
        termination protection on → off
        CloudFormation no longer refuses to delete the stack. A deletion removes everything that the stack does not
            retain.
        Keep the protection where users are served. Turn it off by hand for a stack that you want to delete.
        """)
    assert hazards_of(EnvironmentPair("dev", head, base)) == ()


def test_a_stack_whose_place_becomes_known_stays() -> None:
    unknown = EnvironmentPair("dev", assembly(replace(OTHER, region=None)), assembly(OTHER))
    assert hazards_of(unknown) == ()


def test_an_endpoint_goes_with_its_stack_and_its_alarms() -> None:
    gone = stack(endpoint_app(Alarm=alarm()), "gone")
    assert described(hazards_of(environment(OTHER, base=gone, name="prod"))) == text("""
        danger workload-removed, prod/gone/Endpoint: endpoint assistant
        the endpoint leaves the app with its stack
        CDK does not delete a stack that leaves the app. The stack keeps running and costing money. No deployment
            updates it, and nothing in the app watches it. Whoever deletes it later deletes everything that it does
            not retain.
        If you no longer want the stack, make sure that nobody uses it, and run aws cloudformation delete-stack
            --stack-name gone. Otherwise put it back.
        """)


def test_an_endpoint_goes_from_its_stack() -> None:
    base = endpoint_app(Alarm=alarm(), Topic=resource("AWS::SNS::Topic"))
    head = template(Topic=resource("AWS::SNS::Topic"))
    assert described(hazards(base, head)) == text("""
        warning workload-removed, dev/app-stack/Endpoint: endpoint assistant
        the endpoint leaves its stack
        CloudFormation deletes the endpoint. Its clients fail, and its alarms watch nothing.
        Make sure that no client calls it. Its metric Invocations must be zero.
        """)
    assert hazards(head, base) == ()


def test_an_endpoint_goes_whose_workload_moves_into_a_cluster() -> None:
    (found,) = (
        hazard
        for hazard in find_hazards(
            moving((endpoint_app(), "real-time-endpoint"), (template(Role=resource(ROLE)), "eks-deployment"))
        )
        if hazard.rule == "workload-removed"
    )
    assert found.what_to_do.startswith(
        "Its workload runs somewhere else from then on, at another address. To move"
    )


def test_data_that_go() -> None:
    base, head = template(A=resource(TABLE), B=resource(TABLE)), template(B=resource(TABLE))
    assert described(hazards(base, head)) == text("""
        danger stateful-removed, dev/app-stack/A: AWS::DynamoDB::Table A
        removed from the template
        CloudFormation deletes it, and what it holds is lost.
        Keep it, copy the data, or set DeletionPolicy to Retain in a deployment before this one.
        """)


def test_a_bucket_goes_only_when_it_is_empty() -> None:
    base, head = template(A=resource(BUCKET), B=resource(ROLE)), template(B=resource(ROLE))
    (found,) = hazards(base, head)
    assert (found.severity, found.consequence) == (
        "danger",
        "CloudFormation deletes it only if empty. While it holds something, the deletion fails (DELETE_FAILED), and no "
        "stack manages what is left. If something empties it first, such as autoDeleteObjects of CDK, those contents are lost.",
    )
    gone = stack(template(A=resource(BUCKET), B=resource(BUCKET)), "gone")
    found, _ = hazards_of(environment(OTHER, base=gone))
    assert found.consequence.startswith(
        "When somebody deletes the stack, CloudFormation deletes them only if empty. While they hold something, the deletion "
        "fails (DELETE_FAILED), and so does the deletion of the stack."
    )


@pytest.mark.parametrize(("empties", "says"), [(False, "only if empty"), (True, "is lost")])
def test_a_repository_goes_with_its_images_where_it_says_so(empties: bool, says: str) -> None:
    gone = resource("AWS::ECR::Repository", {"EmptyOnDelete": empties})
    (found,) = hazards(template(A=gone, B=resource(ROLE)), template(B=resource(ROLE)))
    assert says in found.consequence


def test_what_holds_nothing_may_go() -> None:
    role = resource(ROLE)
    assert hazards(template(A=role, B=role), template(B=role)) == ()


def test_an_api_that_goes_takes_its_address_with_it() -> None:
    api, role = resource("AWS::ApiGateway::RestApi", {"Name": "a"}), resource(ROLE)
    (found,) = hazards(template(A=api, B=role), template(B=role))
    assert described((found,)) == text("""
        warning api-removed, dev/app-stack/A: API A
        the API is removed
        The address of an API contains its id, and no other API ever gets that id. Callers of the old address fail.
        Make sure that nobody calls it, or give its callers the new address. A custom domain name outlives the API.
        """)
    renamed = resource("AWS::ApiGateway::RestApi", {"Name": "b"})
    assert hazards(template(A=api, B=role), template(A=renamed, B=role)) == ()


def test_data_that_stay_behind() -> None:
    kept = resource(BUCKET, DeletionPolicy="Retain")
    assert described(hazards(template(A=kept, B=resource(BUCKET)), template(B=resource(BUCKET)))) == text("""
        warning stateful-removed, dev/app-stack/A: AWS::S3::Bucket A
        removed from the template
        It stays with its data. No stack manages it any more, it keeps costing money, and a fixed name stays taken.
        Decide who deletes it and when, or keep it in the template. A resource import brings it back.
        """)


def test_a_moved_bucket_of_a_fixed_name_is_one_hazard() -> None:
    base, head = (template(**{key: resource(BUCKET, {"BucketName": "data"})}) for key in "AB")
    assert rules(hazards(base, head)) == ["named-resource-replaced"]


def test_a_database_leaves_a_snapshot() -> None:
    type_ = "AWS::RDS::DBCluster"
    base, head = template(A=resource(type_), B=resource(BUCKET)), template(B=resource(BUCKET))
    (found,) = hazards(base, head)
    assert found.severity == "warning"
    assert found.consequence.startswith("CloudFormation takes a last snapshot and deletes it")


def nested_away(**policy: Any) -> EnvironmentPair:
    """Another stack with a nested one of a bucket, which goes."""
    role, inner = resource(ROLE), resource("AWS::CloudFormation::Stack", **policy)
    nested = replace(stack(template(A=resource(TABLE)), "other/Nested"), parent="other", nested_id="Nested")
    return EnvironmentPair(
        "dev", assembly(stack(template(Role=role, Nested=inner), "other"), nested), assembly(OTHER)
    )


def test_what_a_nested_stack_holds_goes_with_it_at_once() -> None:
    lost, stack_removed = hazards_of(nested_away())
    assert (lost.rule, lost.severity) == ("stateful-removed", "danger")
    assert lost.consequence == "CloudFormation deletes it, and what it holds is lost."
    assert stack_removed.consequence.startswith("CloudFormation deletes the nested stack")


def test_a_nested_stack_that_is_retained_goes_on() -> None:
    kept = hazards_of(nested_away(DeletionPolicy="Retain"))
    assert [(hazard.rule, hazard.severity) for hazard in kept] == [
        ("stack-removed", "warning"),
        ("stateful-removed", "warning"),
    ]
    assert kept[0].consequence.startswith("DeletionPolicy keeps the nested stack")
    assert kept[1].consequence.startswith("It stays with its data")


def test_a_nested_stack_of_a_stack_that_leaves_the_app_goes_on() -> None:
    gone = nested_away()
    first, second, third = hazards_of(replace(gone, head=assembly(stack(template(), "another"))))
    assert (
        first.consequence
        == "When somebody deletes the stack, CloudFormation deletes it, and what it holds is lost."
    )
    for hazard in (second, third):
        assert hazard.consequence.startswith("CDK does not delete a stack")
