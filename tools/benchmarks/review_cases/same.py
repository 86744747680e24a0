"""Changes of spelling and order, of which a review must say nothing."""

import json
from collections.abc import Callable
from typing import Any

from tools.benchmarks.review_cases.case import Output, TemplateCase

BERT = "support-bert"
TRAIN = "plant-id-train"


def _each_template(change: Callable[[dict[str, Any]], Any]) -> Callable[[Output], None]:
    def apply(output: Output) -> None:
        for path in sorted(output.directory.glob("*.template.json")):
            with output.json(path.name) as document:
                result = change(document)
                if result is not None:
                    document.clear()
                    document.update(result)

    return apply


def _keys_reversed(node: Any) -> Any:
    if isinstance(node, dict):
        return {key: _keys_reversed(node[key]) for key in reversed(node)}
    return [_keys_reversed(item) for item in node] if isinstance(node, list) else node


def _resources_reversed(document: dict[str, Any]) -> None:
    document["Resources"] = dict(reversed(document["Resources"].items()))


def _each_resource(change: Callable[[dict[str, Any]], None]) -> Callable[[Output], None]:
    def apply(document: dict[str, Any]) -> None:
        for resource in document["Resources"].values():
            change(resource)

    return _each_template(apply)


def _tags_reversed(resource: dict[str, Any]) -> None:
    tags = resource["Properties"].get("Tags")
    if isinstance(tags, list):
        tags.reverse()


def _numbers_as_text(resource: dict[str, Any]) -> None:
    for key, value in resource["Properties"].items():
        if isinstance(value, int | float):
            resource["Properties"][key] = str(value).lower()


def _metadata_moved(resource: dict[str, Any]) -> None:
    resource["Metadata"] = {"aws:cdk:path": "elsewhere/" + resource["Metadata"]["aws:cdk:path"]}


def _statements(change: Callable[[list[dict[str, Any]]], None]) -> Callable[[Output], None]:
    def apply(resource: dict[str, Any]) -> None:
        document = resource["Properties"].get("PolicyDocument")
        if document:
            change(document["Statement"])

    return _each_resource(apply)


def _sids_gone(statements: list[dict[str, Any]]) -> None:
    for statement in statements:
        statement.pop("Sid", None)


def _single_in_brackets(statements: list[dict[str, Any]]) -> None:
    for statement in statements:
        for key in ("Action", "Resource"):
            if not isinstance(statement.get(key, []), list):
                statement[key] = [statement[key]]


def _actions_split(statements: list[dict[str, Any]]) -> None:
    """Write a statement for each action: the same permissions."""
    split = []
    for statement in statements:
        actions = statement.get("Action")
        split += (
            [statement | {"Action": action} for action in actions]
            if isinstance(actions, list)
            else [statement]
        )
    statements[:] = split


def _joins_as_subs(output: Output) -> None:
    def spelled(node: Any) -> Any:
        if isinstance(node, list):
            return [spelled(item) for item in node]
        if not isinstance(node, dict):
            return node
        if set(node) == {"Fn::Join"} and node["Fn::Join"][0] == "":
            parts = node["Fn::Join"][1]
            if all(isinstance(p, str) or set(p) == {"Ref"} for p in parts) and "${" not in str(parts):
                return {"Fn::Sub": "".join(p if isinstance(p, str) else "${" + p["Ref"] + "}" for p in parts)}
        return {key: spelled(value) for key, value in node.items()}

    _each_template(spelled)(output)


def _pseudo_parameters_written_out(output: Output) -> None:
    known = {
        "${AWS::Region}": "us-east-1",
        "${AWS::AccountId}": "333344445555",
        "${AWS::Partition}": "aws",
    }
    for path in sorted(output.directory.glob("*.template.json")):
        text = path.read_text("utf-8")
        for name, value in known.items():
            text = text.replace(name, value)
        path.write_text(text, "utf-8")


def _definition_reformatted(output: Output) -> None:
    with output.properties(TRAIN, "TrainingWorkflowStateMachineECD03D2F") as properties:
        definition = json.loads(properties["DefinitionString"])
        properties["DefinitionString"] = json.dumps(_keys_reversed(definition), indent=4)


def _files_reformatted(output: Output) -> None:
    for path in sorted(output.directory.glob("*.json")):
        path.write_text(json.dumps(json.loads(path.read_text("utf-8")), indent=7), "utf-8")


def _subnets_reversed(output: Output) -> None:
    with output.resources("foundation") as resources:
        for resource in resources.values():
            if resource["Type"] == "AWS::EC2::VPCEndpoint" and "SubnetIds" in resource["Properties"]:
                resource["Properties"]["SubnetIds"].reverse()


def _boilerplate(document: dict[str, Any]) -> None:
    document["Resources"]["CDKMetadata"] = {
        "Type": "AWS::CDK::Metadata",
        "Properties": {"Analytics": "v2:deflate64:x"},
    }
    document.setdefault("Conditions", {})["CDKMetadataAvailable"] = {
        "Fn::Equals": [{"Ref": "AWS::Region"}, "x"]
    }
    document["Parameters"]["BootstrapVersion"]["Default"] = "/cdk-bootstrap/other/version"


def _dependencies_reversed(resource: dict[str, Any]) -> None:
    if isinstance(resource.get("DependsOn"), list):
        resource["DependsOn"].reverse()


def _dimensions_reversed(resource: dict[str, Any]) -> None:
    if resource["Type"] == "AWS::CloudWatch::Alarm":
        properties = resource["Properties"]
        read = [query["MetricStat"]["Metric"] for query in properties.get("Metrics", [])[1:]]
        for metric in read or [properties]:
            metric["Dimensions"].reverse()


CASES = (
    TemplateCase("nothing at all", lambda _: None),
    TemplateCase("keys in another order", _each_template(_keys_reversed)),
    TemplateCase("resources in another order", _each_template(_resources_reversed)),
    TemplateCase("tags in another order", _each_resource(_tags_reversed)),
    TemplateCase("numbers and truth values as text", _each_resource(_numbers_as_text)),
    TemplateCase("files indented otherwise", _files_reformatted),
    TemplateCase("paths in the metadata", _each_resource(_metadata_moved)),
    TemplateCase("CDK's boilerplate of another release", _each_template(_boilerplate)),
    TemplateCase("statements in another order", _statements(list.reverse)),
    TemplateCase("statements without Sid", _statements(_sids_gone)),
    TemplateCase("single actions in brackets", _statements(_single_in_brackets)),
    TemplateCase("Fn::Join written as Fn::Sub", _joins_as_subs),
    TemplateCase("pseudo parameters written out", _pseudo_parameters_written_out),
    TemplateCase("the state machine formatted otherwise", _definition_reformatted),
    TemplateCase("subnets of interface endpoints in another order", _subnets_reversed),
    TemplateCase("dependencies in another order", _each_resource(_dependencies_reversed)),
    TemplateCase("dimensions in another order", _each_resource(_dimensions_reversed)),
)
#: The permissions are the same, the documents are not: the resources change, and nothing else is said.
SPLIT_STATEMENTS = _statements(_actions_split)
