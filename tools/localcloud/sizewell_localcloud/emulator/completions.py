"""Hands on to services what ministack's CloudFormation takes and does not hand on.

Without it, a bucket would be deployed with the key of its template and show another one to whoever asks S3.
"""

import json
from collections.abc import Callable
from typing import Any
from xml.sax.saxutils import escape

from botocore.serialize import create_serializer
from ministack.services import (
    alb,
    apigateway_v1,
    cloudwatch,
    ec2,
    lambda_svc,
    s3,
    scheduler,
    sns,
    stepfunctions,
)
from ministack.services.cloudformation import provisioners

from sizewell_localcloud.emulator.errors import AwsError
from sizewell_localcloud.emulator.resource_schemas import Properties
from sizewell_localcloud.emulator.service_models import service_model

_S3 = service_model("s3")
#: What an alarm on an expression does not have.
_OF_ONE_METRIC = ("Dimensions", "ExtendedStatistic", "MetricName", "Namespace", "Period", "Statistic", "Unit")

_FEW_SAMPLES = "EvaluateLowSampleCountPercentile"


def install() -> None:
    """Let descriptions of VPC endpoints show the security groups, the private DNS and the policy that ministack keeps, and let
    alarms be on expressions: they are kept and described, and never go off by themselves. The full name of a target group
    gets its beginning, ``targetgroup/``."""
    alb._target_group_full_name_from_arn = lambda arn: arn.rpartition(":")[2]
    provisioners._cw_metric_alarm_record = _on_expressions(provisioners._cw_metric_alarm_record)
    fields = ec2._vpce_fields_xml

    def whole(endpoint: dict[str, Any], tag: str = "item") -> str:
        # Of one that CreateVpcEndpoint made, ministack keeps neither; private DNS is the default of that call.
        ids = endpoint.get("SecurityGroupIds", ())
        groups = "".join(f"<item><groupId>{name}</groupId></item>" for name in ids)
        has_dns = endpoint.get("PrivateDnsEnabled", endpoint["VpcEndpointType"] == "Interface")
        private_dns = str(bool(has_dns)).lower()
        more = f"<groupSet>{groups}</groupSet><privateDnsEnabled>{private_dns}</privateDnsEnabled>"
        if (policy := endpoint.get("PolicyDocument")) is not None:
            text = policy if isinstance(policy, str) else json.dumps(policy)
            more += f"<policyDocument>{escape(text)}</policyDocument>"
        head, closing, tail = str(fields(endpoint, tag)).rpartition(f"</{tag}>")
        return f"{head}{more}{closing}{tail}"

    ec2._vpce_fields_xml = whole
    describe = ec2._ACTION_MAP["DescribeVpcEndpoints"]

    def of_vpc(parameters: dict[str, Any]) -> Any:
        """Describe the endpoints of the VPCs in the filter, which ministack does not read."""
        wanted = ec2._parse_filters(parameters).get("vpc-id", [])
        ids = [key for key, endpoint in ec2._vpc_endpoints.items() if endpoint["VpcId"] in wanted]
        given = {f"VpcEndpointId.{number}": [endpoint_id] for number, endpoint_id in enumerate(ids, 1)}
        # No id would be all of them.
        return describe({**parameters, **(given or {"VpcEndpointId.1": ["none"]})} if wanted else parameters)

    ec2._ACTION_MAP["DescribeVpcEndpoints"] = of_vpc


def _on_expressions(record: Callable[..., dict[str, Any]]) -> Callable[..., dict[str, Any]]:
    def any_alarm(name: str, properties: Properties) -> dict[str, Any]:
        if not properties.get("Metrics"):
            few = {key: properties[key] for key in (_FEW_SAMPLES,) if key in properties}
            return {**record(name, properties), **few}
        stand_in = {**properties, "Metrics": None, "MetricName": "-", "Namespace": "-"}
        kept = {key: value for key, value in record(name, stand_in).items() if key not in _OF_ONE_METRIC}
        return {**kept, "Metrics": properties["Metrics"]}

    return any_alarm


def complete(type_name: str, physical_id: str, properties: Properties) -> None:
    """Hand on what a resource of this type would lose; called when it was made or changed."""
    hand_on = _COMPLETIONS.get(type_name)
    if hand_on is not None:
        hand_on(physical_id, properties)


def _topic(arn: str, properties: Properties) -> None:
    attributes = sns._topics[arn]["attributes"]
    attributes.pop("KmsMasterKeyId", None)
    if "KmsMasterKeyId" in properties:
        attributes["KmsMasterKeyId"] = properties["KmsMasterKeyId"]


def _state_machine(arn: str, properties: Properties) -> None:
    machine = stepfunctions._state_machines[arn]
    for name in ("LoggingConfiguration", "TracingConfiguration"):
        absent: dict[str, Any] = {"Level": "OFF"} if name == "LoggingConfiguration" else {"Enabled": False}
        machine[name[:1].lower() + name[1:]] = _lower_camel(properties.get(name, absent))


def _alarm(name: str, properties: Properties) -> None:
    if "Statistic" not in properties:  # ministack says Average of an alarm on a percentile
        cloudwatch._alarms[name].pop("Statistic", None)


def _schedule(name: str, properties: Properties) -> None:
    schedule = scheduler._schedules[f"{properties.get('GroupName', 'default')}/{name}"]
    schedule["ScheduleExpressionTimezone"] = properties.get("ScheduleExpressionTimezone", "UTC")


def _function(name: str, properties: Properties) -> None:
    function = lambda_svc._functions[name]
    function["concurrency"] = properties.get("ReservedConcurrentExecutions")
    function["config"] |= {
        "KMSKeyArn": properties.get("KmsKeyArn", ""),
        "VpcConfig": lambda_svc._vpc_config_with_id(properties.get("VpcConfig")),
    }


def _rest_api(api_id: str, properties: Properties) -> None:
    if "EndpointConfiguration" in properties:
        configuration = _lower_camel(properties["EndpointConfiguration"])
        apigateway_v1._rest_apis[api_id]["endpointConfiguration"] = configuration


def _request_validator(validator_id: str, properties: Properties) -> None:
    flags = ("ValidateRequestBody", "ValidateRequestParameters")
    validator = {"id": validator_id, **_lower_camel({name: properties.get(name, False) for name in flags})}
    apigateway_v1._request_validators.setdefault(properties["RestApiId"], {})[validator_id] = validator


def _method(_: str, properties: Properties) -> None:
    resource = apigateway_v1._resources[properties["RestApiId"]][properties["ResourceId"]]
    method = resource["resourceMethods"][properties["HttpMethod"]]
    method["requestValidatorId"] = properties.get("RequestValidatorId")


def _stage(name: str, properties: Properties) -> None:
    stage = apigateway_v1._stages_v1[properties["RestApiId"]][name]
    stage["accessLogSettings"] = _lower_camel(properties.get("AccessLogSetting", {}))


def _lower_camel(value: Any) -> Any:
    if isinstance(value, list):
        return [_lower_camel(item) for item in value]
    if isinstance(value, dict):
        return {key[:1].lower() + key[1:]: _lower_camel(item) for key, item in value.items()}
    return value


def _bucket(name: str, properties: Properties) -> None:
    rules = [
        _encryption_rule(rule)
        for rule in (properties.get("BucketEncryption") or {}).get("ServerSideEncryptionConfiguration") or []
        # ministack's S3 has no key of AWS's own, which aws:kms without a key means: the bucket of the bootstrap.
        if "KMSMasterKeyID" in rule["ServerSideEncryptionByDefault"]
    ]
    if rules:
        body = _xml("PutBucketEncryption", name, {"ServerSideEncryptionConfiguration": {"Rules": rules}})
        s3._put_bucket_encryption(name, body)
    else:
        s3._bucket_encryption.pop(name, None)
    lifecycle = properties.get("LifecycleConfiguration")
    if lifecycle is None:
        s3._bucket_lifecycle.pop(name, None)
    else:
        rules = [_lifecycle_rule(rule) for rule in lifecycle["Rules"]]
        body = _xml("PutBucketLifecycleConfiguration", name, {"LifecycleConfiguration": {"Rules": rules}})
        s3._put_bucket_lifecycle(name, body)
    logging = properties.get("LoggingConfiguration")
    if logging is None:
        s3._bucket_logging_config.pop(name, None)
    else:
        enabled = {
            "TargetBucket": logging.get("DestinationBucketName", name),
            "TargetPrefix": logging.get("LogFilePrefix", ""),
        }
        body = _xml("PutBucketLogging", name, {"BucketLoggingStatus": {"LoggingEnabled": enabled}})
        s3._put_bucket_logging(name, body)
    s3._bucket_tags[name] = {tag["Key"]: tag["Value"] for tag in properties.get("Tags") or []}


def _encryption_rule(rule: Properties) -> dict[str, Any]:
    default = rule["ServerSideEncryptionByDefault"]
    applied = {"SSEAlgorithm": default["SSEAlgorithm"]}
    if "KMSMasterKeyID" in default:
        applied["KMSMasterKeyID"] = default["KMSMasterKeyID"]
    return {
        "ApplyServerSideEncryptionByDefault": applied,
        "BucketKeyEnabled": rule.get("BucketKeyEnabled", False),
    }


_LIFECYCLE_MEMBERS = {
    *("Id", "Status", "Prefix", "ExpirationInDays", "ExpiredObjectDeleteMarker"),
    *("NoncurrentVersionExpiration", "NoncurrentVersionExpirationInDays", "AbortIncompleteMultipartUpload"),
}


def _lifecycle_rule(rule: Properties) -> dict[str, Any]:
    unknown = sorted(rule.keys() - _LIFECYCLE_MEMBERS)
    if unknown:
        raise AwsError("NotEmulated", f"lifecycle rules with {', '.join(unknown)} are not emulated", 501)
    found: dict[str, Any] = {"Status": rule["Status"], "Filter": {"Prefix": rule.get("Prefix", "")}}
    if "Id" in rule:
        found["ID"] = rule["Id"]
    if "ExpirationInDays" in rule:
        found["Expiration"] = {"Days": int(rule["ExpirationInDays"])}
    elif "ExpiredObjectDeleteMarker" in rule:
        found["Expiration"] = {"ExpiredObjectDeleteMarker": rule["ExpiredObjectDeleteMarker"]}
    noncurrent = rule.get("NoncurrentVersionExpiration")
    if noncurrent is not None:
        found["NoncurrentVersionExpiration"] = {"NoncurrentDays": int(noncurrent["NoncurrentDays"])}
    elif "NoncurrentVersionExpirationInDays" in rule:
        found["NoncurrentVersionExpiration"] = {
            "NoncurrentDays": int(rule["NoncurrentVersionExpirationInDays"])
        }
    abort = rule.get("AbortIncompleteMultipartUpload")
    if abort is not None:
        found["AbortIncompleteMultipartUpload"] = {"DaysAfterInitiation": int(abort["DaysAfterInitiation"])}
    return found


def _xml(operation: str, bucket: str, parameters: dict[str, Any]) -> bytes:
    """Return the body that a client of S3 would send."""
    serializer = create_serializer("rest-xml")
    request = serializer.serialize_to_request(
        {"Bucket": bucket, **parameters}, _S3.operation_model(operation)
    )
    body: bytes = request["body"]
    return body


_COMPLETIONS: dict[str, Callable[[str, Properties], None]] = {
    "AWS::ApiGateway::Method": _method,
    "AWS::ApiGateway::RequestValidator": _request_validator,
    "AWS::ApiGateway::RestApi": _rest_api,
    "AWS::ApiGateway::Stage": _stage,
    "AWS::CloudWatch::Alarm": _alarm,
    "AWS::Lambda::Function": _function,
    "AWS::S3::Bucket": _bucket,
    "AWS::SNS::Topic": _topic,
    "AWS::Scheduler::Schedule": _schedule,
    "AWS::StepFunctions::StateMachine": _state_machine,
}
