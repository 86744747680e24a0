from typing import Any

from sizewell.review.model import Hazard
from tests.review.builders import resource, template
from tests.review.hazards.apps import described, hazards, text


def app(role: str = "Role", *, shifts: bool = True, role_name: str | None = None) -> dict[str, Any]:
    alias = resource(
        "AWS::Lambda::Alias",
        {"FunctionName": {"Ref": "Function"}, "Name": "live", "FunctionVersion": "1"},
    )
    if shifts:
        names = {"ApplicationName": "app", "DeploymentGroupName": "group"}
        alias = {**alias, "UpdatePolicy": {"CodeDeployLambdaAliasUpdate": names}}
    named = {"RoleName": role_name} if role_name else {}
    return template(
        Role=resource("AWS::IAM::Role", {"AssumeRolePolicyDocument": {}, **named}),
        Other=resource("AWS::IAM::Role", {"AssumeRolePolicyDocument": {}}),
        Function=resource("AWS::Lambda::Function", {"Role": {"Fn::GetAtt": [role, "Arn"]}}),
        Alias=alias,
    )


def found(base: dict[str, Any], head: dict[str, Any], environment: str = "prod") -> tuple[Hazard, ...]:
    return hazards(base, head, environment=environment, theme="function_rollouts")


def test_a_rollout_that_goes() -> None:
    assert described(found(app(), app(shifts=False))) == text("""
        danger function-rollout-off, prod/app-stack/Alias: alias Alias
        CodeDeployLambdaAliasUpdate is removed
        A bad version serves all requests at once, and no alarm rolls it back.
        Keep the rollout, or say in the pull request why this function does not need it.
        """)
    assert [hazard.severity for hazard in found(app(), app(shifts=False), "dev")] == ["warning"]
    assert found(app(shifts=False), app()) == ()


def test_another_role_is_refused_in_the_middle_of_a_shift() -> None:
    refused = found(app(), app("Other"))
    assert described(refused) == text("""
        danger function-role-changed-in-shift, prod/app-stack/Function: function Function
        another execution role, while CodeDeploy shifts traffic between two versions
        Lambda refuses an alias on two versions with different roles. The deployment fails and rolls back.
        First deploy the other role without CodeDeployLambdaAliasUpdate (rollout.strategy: none). Then deploy the
            rollout again.
        """)
    assert found(app(shifts=False), app("Other")) == refused
    # The same reference, to a role that is made anew.
    assert found(app(), app(role_name="another")) == refused


def test_another_role_alone_is_no_hazard() -> None:
    assert found(app(shifts=False), app("Other", shifts=False)) == ()
    assert [hazard.rule for hazard in found(app(), app("Other", shifts=False))] == ["function-rollout-off"]
