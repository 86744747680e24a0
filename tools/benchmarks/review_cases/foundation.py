"""Changes of what all workloads share."""

from functools import partial

from tools.benchmarks.review_cases.case import (
    Output,
    TemplateCase,
    changed,
    removed,
    without_statement,
)

STACK = "demo-prod-foundation"
ARTIFACTS = "BucketsArtifactBucketC280E8FD"
ARTIFACTS_POLICY = "BucketsArtifactBucketPolicy66B3C9E2"
KEY = "KeysDataKeyB0283748"
ENDPOINT_GROUP = "NetworkSecurityGroupsEndpoint71405B65"
FLOW_LOG = "NetworkFlowLogC0B00A8E"
LOG_GROUP = "NetworkFlowLogGroup1F868030"
_WITHOUT_TLS = "if Bool aws:SecureTransport: false"
SUBNET = "NetworkPrivateSubnet1E8491189"
FAILURES = "EndpointFailuresRuleE69C0E2C"
TOPIC_POLICY = "TopicsAlarmTopicPolicy1F298D24"
OPERATIONS_KEY = "KeysOperationsKey5A964E61"
S3_ENDPOINT = "NetworkS3Endpoint635CABAC"


_properties = partial(changed, "foundation")
_removed = partial(removed, "foundation")
_without_statement = partial(without_statement, "foundation")


def _goes_with_its_stack(output: Output) -> None:
    with output.resource("foundation", ARTIFACTS) as resource:
        resource.update(DeletionPolicy="Delete", UpdateReplacePolicy="Delete")


def _unprotected(output: Output) -> None:
    with output.json("manifest.json") as manifest:
        for artifact in manifest["artifacts"].values():
            artifact.get("properties", {}).pop("terminationProtection", None)


def _a_bucket_more(output: Output) -> None:
    with output.resources("foundation") as resources:
        resources["More"] = {
            "Type": "AWS::S3::Bucket",
            "Properties": {
                **resources[ARTIFACTS]["Properties"],
                "BucketName": "demo-prod-more",
            },
            "DeletionPolicy": "Retain",
            "UpdateReplacePolicy": "Retain",
        }


def _a_parameter_more(output: Output) -> None:
    with output.resources("foundation") as resources:
        resources["More"] = {
            "Type": "AWS::SSM::Parameter",
            "Properties": {"Name": "/demo/prod/more", "Type": "String", "Value": "x"},
        }


def _changed(logical_id: str, *more: str) -> frozenset[str]:
    return frozenset({f"changed: {STACK}/{logical_id}", *more})


CASES = (
    TemplateCase(
        "key rotation off",
        _properties(KEY, EnableKeyRotation=False),
        _changed(KEY, f"warning less-secure: {STACK} {KEY}"),
    ),
    TemplateCase(
        "public access to a bucket no longer blocked",
        _properties(ARTIFACTS, PublicAccessBlockConfiguration=None),
        _changed(ARTIFACTS, f"danger less-secure: {STACK} {ARTIFACTS}"),
    ),
    TemplateCase(
        "a bucket without its key",
        _properties(ARTIFACTS, BucketEncryption=None),
        _changed(ARTIFACTS, f"weaker encryption-lost: {STACK} {ARTIFACTS}"),
    ),
    TemplateCase(
        "a bucket without versions",
        _properties(ARTIFACTS, VersioningConfiguration={"Status": "Suspended"}),
        _changed(ARTIFACTS, f"warning slower-recovery: {STACK} {ARTIFACTS}"),
    ),
    TemplateCase(
        "a bucket that goes with its stack",
        _goes_with_its_stack,
        _changed(ARTIFACTS, f"warning removal-policy-weakened: {STACK} {ARTIFACTS}"),
    ),
    TemplateCase(
        "a bucket removed, and kept",
        _removed(ARTIFACTS, ARTIFACTS_POLICY),
        # The bucket stays, and its policy goes: nothing demands TLS any more.
        frozenset(
            {
                f"broadened: {STACK}: Deny s3:* on ${{{ARTIFACTS}.Arn}} {_WITHOUT_TLS}",
                f"broadened: {STACK}: Deny s3:* on ${{{ARTIFACTS}.Arn}}/* {_WITHOUT_TLS}",
                f"weaker tls-enforcement-lost: {STACK} {ARTIFACTS}",
                f"removed: {STACK}/{ARTIFACTS}",
                f"removed: {STACK}/{ARTIFACTS_POLICY}",
                f"warning stateful-removed: {STACK} {ARTIFACTS}",
            }
        ),
    ),
    TemplateCase(
        "another name for a bucket, and the old one kept",
        _properties(ARTIFACTS, BucketName="demo-prod-artifacts-2"),
        frozenset(
            {
                f"replaced: {STACK}/{ARTIFACTS} by BucketName",
                f"danger stateful-replaced: {STACK} {ARTIFACTS}",
                f"replaced: {STACK}/{ARTIFACTS_POLICY} by Bucket",
            }
        ),
    ),
    TemplateCase(
        "failed endpoints told to nobody",
        _removed(FAILURES),
        frozenset({f"removed: {STACK}/{FAILURES}", f"danger event-rule-silenced: {STACK} {FAILURES}"}),
    ),
    TemplateCase(
        "a topic that refuses alarms",
        _without_statement(TOPIC_POLICY, "PolicyDocument", "AlarmsOfThisAccount"),
        _changed(
            TOPIC_POLICY,
            f"danger publisher-refused: {STACK} {TOPIC_POLICY}",
            f"narrowed: {STACK}: Allow sns:Publish on ${{TopicsAlarmTopic39D0815D}} "
            "if StringEquals aws:SourceAccount: 333344445555",
        ),
    ),
    TemplateCase(
        "a key that refuses rules of EventBridge",
        _without_statement(OPERATIONS_KEY, "KeyPolicy", "RulesPublishToEncryptedTopic"),
        _changed(
            OPERATIONS_KEY,
            f"danger publisher-refused: {STACK} {OPERATIONS_KEY}",
            f"narrowed: {STACK}: Allow kms:Decrypt on *",
            f"narrowed: {STACK}: Allow kms:GenerateDataKey* on *",
        ),
    ),
    TemplateCase(
        "a gateway endpoint for all buckets of the world",
        _properties(S3_ENDPOINT, PolicyDocument=None),
        _changed(S3_ENDPOINT, f"broadened: {STACK}: Allow * on *"),
    ),
    TemplateCase(
        "stacks that one command deletes", _unprotected, frozenset({"warning termination-protection-lost:"})
    ),
    TemplateCase("a bucket more", _a_bucket_more, frozenset({f"added: {STACK}/More"})),
    TemplateCase(
        "a security group open to the world",
        _properties(
            ENDPOINT_GROUP,
            SecurityGroupIngress=[
                {"CidrIp": "0.0.0.0/0", "IpProtocol": "tcp", "FromPort": 443, "ToPort": 443}
            ],
        ),
        _changed(ENDPOINT_GROUP, f"weaker security-group-opened: {STACK} {ENDPOINT_GROUP}"),
    ),
    TemplateCase(
        "flow logs gone",
        _removed(FLOW_LOG),
        # What it saves depends on the traffic.
        frozenset(
            {
                f"removed: {STACK}/{FLOW_LOG}",
                f"weaker flow-log-removed: {STACK} {FLOW_LOG}",
                "cost: prod foundation unknown",
            }
        ),
    ),
    TemplateCase(
        "logs kept for two weeks",
        _properties(LOG_GROUP, RetentionInDays=14),
        _changed(LOG_GROUP, f"warning less-durable: {STACK} {LOG_GROUP}"),
    ),
    TemplateCase(
        "public addresses in a subnet",
        _properties(SUBNET, MapPublicIpOnLaunch=True),
        _changed(SUBNET, f"warning less-secure: {STACK} {SUBNET}"),
    ),
    TemplateCase("an SSM parameter more", _a_parameter_more, frozenset({f"added: {STACK}/More"})),
    TemplateCase(
        "an interface endpoint less",
        _removed("NetworkInterfaceEndpointsagemakerruntime86D822C9"),
        # One endpoint in three zones at 0.01 USD per hour.
        frozenset(
            {
                f"removed: {STACK}/NetworkInterfaceEndpointsagemakerruntime86D822C9",
                f"danger less-available: {STACK} NetworkInterfaceEndpointsagemakerruntime86D822C9",
                "cost: prod foundation -21.90 / -21.90 / -21.90",
                # What its policy let through.
                *(
                    f"narrowed: {STACK}: Allow sagemaker:{action} on "
                    "arn:aws:sagemaker:us-east-1:333344445555:endpoint/demo-prod-* if "
                    "StringEquals aws:PrincipalAccount: 333344445555"
                    for action in (
                        "InvokeEndpoint",
                        "InvokeEndpointAsync",
                        "InvokeEndpointWithResponseStream",
                    )
                ),
            }
        ),
    ),
)
