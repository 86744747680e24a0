from typing import Any

from sizewell.review.comparison import EnvironmentPair
from sizewell.templates.template import Stack
from tests.review.builders import assembly, resource, stack, template
from tests.review.hazards.apps import described, hazards_of, text

TOPIC = resource("AWS::SNS::Topic")


def provider(*names: str) -> Stack:
    given = {
        f"P{i}": resource("AWS::SSM::Parameter", {"Name": name, "Value": "x"}) for i, name in enumerate(names)
    }
    return stack(template(Topic=TOPIC, **given), "provider")


def declared(name: str) -> Stack:
    read = {"Read": {"Type": "AWS::SSM::Parameter::Value<String>", "Default": name}}
    return stack({**template(Topic=TOPIC), "Parameters": read}, "reader")


def resolved(name: str) -> Stack:
    return stack(
        template(T=resource("AWS::SNS::Topic", {"TopicName": f"{{{{resolve:ssm:{name}}}}}"})), "reader"
    )


def environment(base: tuple[Stack, ...], head: tuple[Stack, ...]) -> EnvironmentPair:
    return EnvironmentPair("dev", assembly(*base), assembly(*head))


def test_a_new_parameter_goes_first() -> None:
    base, head = (provider(), stack(template(Topic=TOPIC), "reader")), (provider("/a"), declared("/a"))
    assert described(hazards_of(environment(base, head))) == text("""
        notice deploy-order, dev/provider/P0: stack provider
        SSM parameter /a added, read by reader
        CloudFormation reads the value when it deploys the reading stack. That deployment fails if the parameter
            does not exist yet.
        Deploy provider first.
        """)


def test_a_dynamic_reference_reads_it_too() -> None:
    found = hazards_of(environment((provider(),), (provider("/a", "/b"), resolved("/b"))))
    assert [(hazard.logical_id, hazard.cause) for hazard in found] == [
        ("P1", "SSM parameter /b added, read by reader")
    ]


def test_nobody_waits() -> None:
    assert hazards_of(environment((provider(),), (provider("/a"), declared("/b")))) == ()
    assert hazards_of(environment((provider("/a"),), (provider("/a", "/c"), declared("/a")))) == ()
    assert hazards_of(environment((), (provider("/a"), declared("/a")))) == ()


def exporter(*exports: str) -> Stack:
    given = {f"O{i}": {"Value": "x", "Export": {"Name": name}} for i, name in enumerate(exports)}
    return stack({**template(Topic=TOPIC), "Outputs": given}, "provider")


def importer(name: Any) -> Stack:
    return stack(
        template(T=resource("AWS::SNS::Topic", {"DisplayName": {"Fn::ImportValue": name}})), "reader"
    )


def test_an_export_that_is_in_use() -> None:
    base = (exporter("a"), importer("a"))
    assert described(hazards_of(environment(base, (exporter(), stack(template(T=TOPIC), "reader"))))) == text("""
        danger export-in-use, dev/provider/O0: export a
        the export is removed
        reader imports it as deployed, and CDK deploys provider first. CloudFormation refuses to delete an export
            that is in use, and the deployment rolls back.
        Keep the export for one deployment (exportValue in CDK), in which the other stacks stop importing it. Remove
            it in the next one.
        """)


def test_an_export_that_another_app_may_import() -> None:
    found = hazards_of(environment((exporter("a"), importer("b")), (exporter(), importer("b"))))
    assert described(found) == text("""
        warning export-removed, dev/provider/-: export a
        the export is removed
        No stack of this app imports it. While a stack of another app does, CloudFormation refuses the deletion, and the
            deployment rolls back.
        Look for importers: aws cloudformation list-imports --export-name a.
        """)


def test_an_export_that_stays() -> None:
    assert hazards_of(environment((exporter("a"), importer("a")), (exporter("b", "a"), importer("a")))) == ()
