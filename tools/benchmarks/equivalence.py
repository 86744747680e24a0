"""Compare two assemblies: only logical ids, descriptions, tags and spelling may differ."""

import json
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

Properties = dict[str, Any]


class DifferentResourcesError(Exception):
    """The two sides do not make the same resources, so their times cannot be compared."""


def count_resources(assembly: Path) -> int:
    """Return the number of resources in all templates of a cloud assembly directory."""
    return sum(len(template["Resources"]) for template in _templates(assembly).values())


def check_same_resources(left: Path, right: Path) -> None:
    """Compare two cloud assembly directories stack by stack.

    Compared are the types of all resources with their number, the order that autoscaling depends on, and of each resource
    what it is there for: names, sizes, metrics, thresholds, bounds, permissions. Raises DifferentResourcesError with the
    first difference.
    """
    left_templates, right_templates = _templates(left), _templates(right)
    _check_equal("the names of the stacks", sorted(left_templates), sorted(right_templates))
    for stack, template in left_templates.items():
        other = right_templates[stack]
        _check_equal(f"{stack}: the types of resources", _types(template), _types(other))
        _check_equal(f"{stack}: the order of scaling", _scaling_order(template), _scaling_order(other))
        for resource_type, describe in _FACTS.items():
            _check_equal(
                f"{stack}: {resource_type}",
                _facts(template, resource_type, describe),
                _facts(other, resource_type, describe),
            )


def _templates(assembly: Path) -> dict[str, dict[str, Any]]:
    return {
        path.name.removesuffix(".template.json"): json.loads(path.read_text("utf-8"))
        for path in sorted(assembly.glob("*.template.json"))
    }


def _types(template: dict[str, Any]) -> dict[str, int]:
    return dict(sorted(Counter(resource["Type"] for resource in template["Resources"].values()).items()))


def _scaling_order(template: dict[str, Any]) -> list[tuple[str, str]]:
    """Return which of the resources around an endpoint waits for which: release, endpoint and scaling, in this order."""
    resources = template["Resources"]
    pairs = (
        (resource["Type"], resources[dependency]["Type"])
        for resource in resources.values()
        for dependency in resource.get("DependsOn", [])
    )
    return sorted(pair for pair in pairs if _SCALING_TYPES.issuperset(pair))


def _facts(template: dict[str, Any], resource_type: str, describe: Callable[[Properties], Any]) -> list[Any]:
    return sorted(
        json.dumps(describe(resource["Properties"]), sort_keys=True)
        for resource in template["Resources"].values()
        if resource["Type"] == resource_type
    )


def _check_equal(what: str, left: Any, right: Any) -> None:
    if left != right:
        raise DifferentResourcesError(f"{what} differ:\n  {left}\n  {right}")


def _pick(*names: str) -> Callable[[Properties], Properties]:
    """Return a description of a resource by properties that both sides must spell alike."""
    return lambda properties: {name: properties.get(name) for name in names}


def _alarm(properties: Properties) -> Properties:
    return {
        **_pick(
            "Namespace",
            "MetricName",
            "Statistic",
            "ExtendedStatistic",
            "Period",
            "EvaluationPeriods",
            "DatapointsToAlarm",
            "TreatMissingData",
            "ComparisonOperator",
        )(properties),
        "Threshold": round(properties["Threshold"], 9),
        "Dimensions": sorted((d["Name"], _text(d["Value"])) for d in properties["Dimensions"]),
        "Actions": (len(properties.get("AlarmActions", [])), len(properties.get("OKActions", []))),
    }


def _endpoint_config(properties: Properties) -> Properties:
    (variant,) = properties["ProductionVariants"]
    return {
        "Variant": {name: value for name, value in variant.items() if name != "ModelName"},
        "Encrypted": "KmsKeyId" in properties,
    }


def _model(properties: Properties) -> Properties:
    container = properties["PrimaryContainer"]
    source = container["ModelDataSource"]["S3DataSource"]
    return {
        "Isolated": properties["EnableNetworkIsolation"],
        "Image": container["Image"],
        "Environment": container.get("Environment"),
        "Artifact": (source["CompressionType"], source["S3DataType"], _text(source["S3Uri"])),
        "SecurityGroups": len(properties["VpcConfig"]["SecurityGroupIds"]),
    }


def _scaling_spec(properties: Properties) -> Properties:
    return {
        **_pick("ServiceTimeout", "EndpointName", "Variants")(properties),
        "EndpointConfigName": _text(properties["EndpointConfigName"]),
    }


def _rule(properties: Properties) -> Properties:
    (target,) = properties["Targets"]
    # Python writes 60.0 where JavaScript writes 60.
    spec = json.loads(_text(target["Input"]), parse_int=float)
    return {**_pick("Name", "EventPattern")(properties), "Input": spec}


def _function(properties: Properties) -> Properties:
    return {
        **_pick("Runtime", "Handler", "Timeout", "MemorySize", "Architectures")(properties),
        "Code": properties["Code"]["ZipFile"],
        "Logged": "LogGroup" in properties["LoggingConfig"],
    }


def _permission(properties: Properties) -> Properties:
    return {**_pick("Action", "Principal")(properties), "SourceArn": _text(properties["SourceArn"])}


def _bucket(properties: Properties) -> Properties:
    encryption = properties["BucketEncryption"]["ServerSideEncryptionConfiguration"][0]
    return {
        **_pick(
            "BucketName", "PublicAccessBlockConfiguration", "OwnershipControls", "VersioningConfiguration"
        )(properties),
        "Encryption": encryption["ServerSideEncryptionByDefault"]["SSEAlgorithm"],
        "Logged": "LoggingConfiguration" in properties,
        "LifecycleRules": len(properties["LifecycleConfiguration"]["Rules"]),
    }


def _trust(properties: Properties) -> Properties:
    statements = properties["AssumeRolePolicyDocument"]["Statement"]
    return {
        "Services": sorted(statement["Principal"]["Service"] for statement in statements),
        "Conditional": all("Condition" in statement for statement in statements),
        "Policies": len(properties["ManagedPolicyArns"]),
    }


def _permissions(properties: Properties) -> list[str]:
    # CDK merges statements of L2 constructs, so what counts is which actions are allowed, not by which statement.
    return sorted(set(_actions(properties["PolicyDocument"])))


def _actions(document: Properties) -> Iterator[str]:
    for statement in document["Statement"]:
        actions = statement["Action"]
        for action in [actions] if isinstance(actions, str) else actions:
            yield f"{statement['Effect']} {action}"


def _text(value: Any) -> str:
    """Return a value that may be or hold references, each of them as a question mark."""
    if isinstance(value, str):
        return value
    return "".join(part if isinstance(part, str) else "?" for part in value.get("Fn::Join", ("", [value]))[1])


_SCALING_TYPES = {
    "AWS::Events::Rule",
    "AWS::SageMaker::Endpoint",
    "Custom::EndpointScaling",
    "Custom::ScalingRelease",
}
_FACTS: dict[str, Callable[[Properties], Any]] = {
    "AWS::CloudWatch::Alarm": _alarm,
    "AWS::Events::Rule": _rule,
    "AWS::IAM::ManagedPolicy": _permissions,
    "AWS::IAM::Role": _trust,
    "AWS::KMS::Alias": _pick("AliasName"),
    "AWS::KMS::Key": _pick("EnableKeyRotation", "PendingWindowInDays"),
    "AWS::Lambda::EventInvokeConfig": _pick("Qualifier", "MaximumEventAgeInSeconds", "MaximumRetryAttempts"),
    "AWS::Lambda::Function": _function,
    "AWS::Lambda::Permission": _permission,
    "AWS::Logs::LogGroup": _pick("LogGroupName", "RetentionInDays"),
    "AWS::S3::Bucket": _bucket,
    "AWS::SNS::Topic": _pick("TopicName"),
    "AWS::SSM::Parameter": _pick("Name", "Type"),
    "AWS::SageMaker::Endpoint": _pick("EndpointName", "RetainAllVariantProperties"),
    "AWS::SageMaker::EndpointConfig": _endpoint_config,
    "AWS::SageMaker::Model": _model,
    "Custom::EndpointScaling": _scaling_spec,
    "Custom::ScalingRelease": _scaling_spec,
}
