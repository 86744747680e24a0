"""Changes of roles and policies."""

from collections.abc import Callable
from functools import partial

from tools.benchmarks.review_cases.case import Change, Json, TemplateCase, changed, edited, without_statement
from tools.benchmarks.review_cases.same import SPLIT_STATEMENTS

BERT = "support-bert"
STACK = "demo-prod-support-bert"
POLICY = "EndpointModelRolePolicy522A5F2E"
ROLE = "EndpointModelRole6BDC00D5"
_POLICY_CHANGED = f"changed: {STACK}/{POLICY}"
_ARTIFACT = "arn:aws:s3:::${FoundationArtifactBucketName}/models/support-bert/model.tar.gz"


_without = partial(without_statement, BERT, POLICY, "PolicyDocument")
_role = partial(changed, BERT, ROLE)


def _statements(change: Callable[[Json], object]) -> Change:
    def edit(policy: Json) -> None:
        change({statement["Sid"]: statement for statement in policy["PolicyDocument"]["Statement"]})

    return edited(BERT, POLICY, edit)


def _more(statement: Json) -> Change:
    return edited(BERT, POLICY, lambda policy: policy["PolicyDocument"]["Statement"].append(statement))


def _trust_anybody(role: Json) -> None:
    (statement,) = role["AssumeRolePolicyDocument"]["Statement"]
    statement["Principal"] = {"AWS": "*"}
    del statement["Condition"]


#: Every policy that has a statement with several actions.
_WITH_SEVERAL_ACTIONS = (
    "assistant-tune/TrainingTrainingRolePolicyC6E1E4AA",
    "assistant-tune/TrainingWorkflowRolePolicy667F59F5",
    "assistant/EndpointModelRolePolicy522A5F2E",
    "foundation/NetworkCloseDefaultSecurityGroupRolePolicy0B4A51F5",
    "foundation/NetworkFlowLogRolePolicyEDF4226D",
    "foundation/NetworkInterfaceEndpointsagemakerruntime86D822C9",
    "foundation/NetworkS3Endpoint635CABAC",
    "plant-id-train/TrainingSchedulePolicy98BE51DE",
    "plant-id-train/TrainingTrainingRolePolicyC6E1E4AA",
    "plant-id-train/TrainingWorkflowRolePolicy667F59F5",
    "plant-id/EndpointModelRolePolicy522A5F2E",
    "support-bert/EndpointModelRolePolicy522A5F2E",
)

CASES = (
    TemplateCase(
        "an action more",
        _more({"Effect": "Allow", "Action": "s3:PutObject", "Resource": "arn:aws:s3:::other/*"}),
        frozenset({_POLICY_CHANGED, f"broadened: {STACK}: Allow s3:PutObject on arn:aws:s3:::other/*"}),
    ),
    TemplateCase(
        "a statement that says what another one covers",
        _more({"Effect": "Allow", "Action": "ec2:DescribeSubnets", "Resource": "*"}),
        frozenset({_POLICY_CHANGED}),
    ),
    TemplateCase(
        "an action less",
        _without("LogInToRegistry"),
        frozenset(
            {
                _POLICY_CHANGED,
                f"narrowed: {STACK}: Allow ecr:GetAuthorizationToken on *",
                f"danger permission-lost: {STACK}",
            }
        ),
    ),
    TemplateCase(
        "all objects in place of one",
        _statements(lambda s: s["ReadArtifact"].update(Resource="*")),
        frozenset({_POLICY_CHANGED, f"broadened: {STACK}: Allow s3:GetObject on *"}),
    ),
    TemplateCase(
        "every action of a service in place of one",
        _statements(lambda s: s["ReadArtifact"].update(Action="s3:*")),
        frozenset({_POLICY_CHANGED, f"broadened: {STACK}: Allow s3:* on {_ARTIFACT}"}),
    ),
    TemplateCase(
        "a condition less",
        _statements(lambda s: s["PublishMetrics"].pop("Condition")),
        frozenset({_POLICY_CHANGED, f"broadened: {STACK}: Allow cloudwatch:PutMetricData on *"}),
    ),
    TemplateCase(
        "a condition more",
        _statements(
            lambda s: s["LogInToRegistry"].update(Condition={"Bool": {"aws:SecureTransport": "true"}})
        ),
        frozenset({_POLICY_CHANGED, f"narrowed: {STACK}: Allow ecr:GetAuthorizationToken on *"}),
    ),
    TemplateCase(
        "a deny more",
        _more({"Effect": "Deny", "Action": "s3:*", "Resource": "arn:aws:s3:::secret/*"}),
        frozenset({_POLICY_CHANGED, f"narrowed: {STACK}: Deny s3:* on arn:aws:s3:::secret/*"}),
    ),
    TemplateCase(
        "a managed policy of AWS",
        _role(ManagedPolicyArns=[{"Ref": POLICY}, "arn:aws:iam::aws:policy/AmazonSageMakerFullAccess"]),
        frozenset(
            {
                f"changed: {STACK}/{ROLE}",
                f"broadened: {STACK}: Allow everything of arn:aws:iam::aws:policy/AmazonSageMakerFullAccess on *",
            }
        ),
    ),
    TemplateCase(
        "a role that anybody may take",
        edited(BERT, ROLE, _trust_anybody),
        frozenset(
            {
                f"changed: {STACK}/{ROLE}",
                f"broadened: {STACK}: Allow sts:AssumeRole on {STACK}/Endpoint/ModelRole/Role",
                # SageMaker itself may not take it any more.
                f"narrowed: {STACK}: Allow sts:AssumeRole on {STACK}/Endpoint/ModelRole/Role "
                "if StringEquals aws:SourceAccount: 333344445555",
                f"danger permission-lost: {STACK} {ROLE}",
                f"weaker public-principal: {STACK} {ROLE}",
            }
        ),
    ),
    TemplateCase(
        "a statement for each action",
        SPLIT_STATEMENTS,
        # The documents are others, the permissions are not.
        frozenset(f"changed: demo-prod-{name}" for name in _WITH_SEVERAL_ACTIONS),
    ),
)
