"""The role of pods in a cluster of Amazon EKS: stacks make, change, replace and delete it, and AWS's refusals hold."""

import json
from typing import Any

import pytest

from sizewell_localcloud.clusters import make_missing
from tests.integration.emulator.lab import ACCOUNT, REGION, Json, Lab, refusal
from tests.integration.readers import READERS
from tests.integration.readers.compare import comparable, differences
from tests.integration.readers.reading import read
from tests.localcloud.processes import until

pytestmark = pytest.mark.usefixtures("admin")

ASSOCIATION = "AWS::EKS::PodIdentityAssociation"
ACTIONS = ("sts:AssumeRole", "sts:TagSession")


@pytest.fixture(scope="module")
def cluster(lab: Lab) -> str:
    name = lab.name("cluster")
    assert make_missing(lab, [f"eks/{name}=1.35"]) == [name]
    return name


def role_of_pods(lab: Lab, *actions: str, service: str = "pods.eks.amazonaws.com") -> str:
    statement = {"Effect": "Allow", "Principal": {"Service": service}, "Action": list(actions)}
    document = json.dumps({"Version": "2012-10-17", "Statement": [statement]})
    role = lab("iam").create_role(RoleName=lab.name("pods"), AssumeRolePolicyDocument=document)
    return str(role["Role"]["Arn"])


def resources(cluster: str, role_arn: str, service_account: str, **more: Any) -> Json:
    """Return a stack of one association, which shows what its attributes are."""
    properties = {
        "ClusterName": cluster,
        "Namespace": "shop",
        "RoleArn": role_arn,
        "ServiceAccount": service_account,
    } | more
    return {
        "Association": {"Type": ASSOCIATION, "Properties": properties},
        "Shown": {
            "Type": "AWS::SSM::Parameter",
            "Properties": {
                "Type": "StringList",
                "Value": {
                    "Fn::Join": [
                        ",",
                        [
                            {"Ref": "Association"},
                            {"Fn::GetAtt": ["Association", "AssociationArn"]},
                            {"Fn::GetAtt": ["Association", "AssociationId"]},
                        ],
                    ]
                },
            },
        },
    }


def deployed(lab: Lab, action: str, stack: str, declared: Json) -> Json:
    """Create or update a stack, compare what EKS shows with it, and return what EKS shows."""
    assert lab.stack(action, stack, declared)[0] == f"{action.upper()}_COMPLETE"
    ids, properties = lab.physical_ids(stack), declared["Association"]["Properties"]
    shown = read(READERS[ASSOCIATION], lab, ids["Association"], properties)
    assert list(differences(comparable(properties), comparable(shown))) == []
    parameter = lab("ssm").get_parameter(Name=ids["Shown"])["Parameter"]["Value"]
    assert parameter.split(",") == [ids["Association"], shown["associationArn"], shown["associationId"]]
    return shown


def of_cluster(lab: Lab, cluster: str) -> list[str]:
    found = lab("eks").list_pod_identity_associations(clusterName=cluster)["associations"]
    return [one["associationArn"] for one in found]


def test_another_role_keeps_an_association_and_another_namespace_replaces_it(lab: Lab, cluster: str) -> None:
    stack, role, other = lab.name("pods"), role_of_pods(lab, *ACTIONS), role_of_pods(lab, *ACTIONS)

    tags = [{"Key": "team", "Value": "ml"}]
    made = deployed(lab, "create", stack, resources(cluster, role, "model", Tags=tags))
    arn = made["associationArn"]
    assert arn.startswith(f"arn:aws:eks:{REGION}:{ACCOUNT}:podidentityassociation/{cluster}/a-")
    assert of_cluster(lab, cluster) == [arn]

    changed = deployed(lab, "update", stack, resources(cluster, other, "model"))
    assert (changed["associationArn"], changed["roleArn"]) == (arn, other)
    assert "team" not in changed["tags"]

    replaced = deployed(lab, "update", stack, resources(cluster, other, "model", Namespace="next"))
    assert replaced["associationArn"] != arn
    assert of_cluster(lab, cluster) == [replaced["associationArn"]]

    assert lab.stack("delete", stack, {})[0] == "DELETE_COMPLETE"
    assert of_cluster(lab, cluster) == []


def test_a_policy_and_a_target_role_come_and_go_in_place(lab: Lab, cluster: str) -> None:
    stack, role = lab.name("pods"), role_of_pods(lab, *ACTIONS)
    policy = json.dumps({"Statement": [{"Effect": "Allow", "Action": "s3:GetObject", "Resource": "*"}]})
    more = {"Policy": policy, "DisableSessionTags": True, "TargetRoleArn": f"arn:aws:iam::{ACCOUNT}:role/x"}

    plain = deployed(lab, "create", stack, resources(cluster, role, "model"))
    full = deployed(lab, "update", stack, resources(cluster, role, "model", **more))
    again = deployed(lab, "update", stack, resources(cluster, role, "model"))

    assert {one["associationArn"] for one in (plain, full, again)} == {plain["associationArn"]}
    assert full["externalId"]
    assert not again["disableSessionTags"]
    assert {"policy", "targetRoleArn", "externalId"} & {*plain, *again} == set()
    assert lab.stack("delete", stack, {})[0] == "DELETE_COMPLETE"


def test_a_service_account_has_one_association(lab: Lab, cluster: str) -> None:
    stack, role = lab.name("pods"), role_of_pods(lab, *ACTIONS)
    first = deployed(lab, "create", stack, resources(cluster, role, "model"))

    status, reasons = lab.stack("create", lab.name("pods"), resources(cluster, role, "model"))

    assert status == "ROLLBACK_COMPLETE"
    assert f'"Association already exists: {first["associationId"]}" (ResourceInUseException)' in reasons
    assert of_cluster(lab, cluster) == [first["associationArn"]]
    assert lab.stack("delete", stack, {})[0] == "DELETE_COMPLETE"


def test_an_association_may_go_with_its_cluster(lab: Lab) -> None:
    stack, name = lab.name("pods"), lab.name("cluster")
    make_missing(lab, [f"eks/{name}=1.35"])
    deployed(lab, "create", stack, resources(name, role_of_pods(lab, *ACTIONS), "model"))

    lab("eks").delete_cluster(name=name)

    assert lab.stack("delete", stack, {})[0] == "DELETE_COMPLETE"
    said = refusal(lab("eks").list_pod_identity_associations, clusterName=name)
    assert said == f"ResourceNotFoundException: No cluster found for name: {name}."


def test_a_cluster_that_is_missing_is_refused(lab: Lab) -> None:
    role = role_of_pods(lab, *ACTIONS)
    status, reasons = lab.stack("create", lab.name("pods"), resources("nobody", role, "model"))
    assert status == "ROLLBACK_COMPLETE"
    assert '"No cluster found for name: nobody." (ResourceNotFoundException)' in reasons


@pytest.mark.parametrize(
    ("actions", "service"),
    [
        (("sts:AssumeRole",), "pods.eks.amazonaws.com"),
        (ACTIONS, "ec2.amazonaws.com"),
    ],
    ids=["no tags", "another service"],
)
def test_a_role_that_pods_cannot_have_is_refused(
    lab: Lab, cluster: str, actions: tuple[str, ...], service: str
) -> None:
    role = role_of_pods(lab, *actions, service=service)
    status, reasons = lab.stack("create", lab.name("pods"), resources(cluster, role, "model"))
    assert status == "ROLLBACK_COMPLETE"
    assert "Trust policy of the role provided is invalid." in reasons
    assert of_cluster(lab, cluster) == []


def test_a_policy_beside_the_tags_of_a_session_is_refused(lab: Lab, cluster: str) -> None:
    declared = resources(cluster, role_of_pods(lab, *ACTIONS), "model", Policy="{}")
    status, reasons = lab.stack("create", lab.name("pods"), declared)
    assert status == "ROLLBACK_COMPLETE"
    assert "disableSessionTags must be set to true" in reasons


def test_a_stand_in_is_made_once_and_is_active_without_docker(lab: Lab, cluster: str) -> None:
    assert make_missing(lab, [f"eks/{cluster}=1.34"]) == []
    described = until(
        lambda: lab("eks").describe_cluster(name=cluster)["cluster"], lambda one: one["status"] != "CREATING"
    )
    assert (described["status"], described["version"]) == ("ACTIVE", "1.35")
