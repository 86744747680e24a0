"""How the alias of a Lambda function moves to a new version.

Lambda developer guide, "Create a weighted alias": both versions have the same execution role.
"""

from collections.abc import Iterator

from sizewell.review.hazards.rule import Environment, Found, hazard_rule
from sizewell.templates.template import Resource
from sizewell.templates.values import mapping, references_in

_ALIAS, _FUNCTION = "AWS::Lambda::Alias", "AWS::Lambda::Function"


@hazard_rule("recovery")
def function_rollout_off(environment: Environment) -> Iterator[Found]:
    """The alias of a function no longer moves to a new version step by step."""
    for pair in environment.diff.resources(_ALIAS):
        if pair.base and pair.head and _shifts(pair.base) and not _shifts(pair.head):
            yield Found(
                "danger" if environment.production else "warning",
                pair.stack.name,
                pair.logical_id,
                f"alias {pair.head.path}",
                "CodeDeployLambdaAliasUpdate is removed",
                "A bad version serves all requests at once, and no alarm rolls it back.",
                "Keep the rollout, or say in the pull request why this function does not need it.",
            )


@hazard_rule("recovery")
def function_role_changed_in_shift(environment: Environment) -> Iterator[Found]:
    """A function gets another role while its alias shifts traffic between two versions."""
    diff = environment.diff
    shifting = {
        (pair.stack.name, reference.name)
        for pair in diff.resources(_ALIAS)
        if pair.base and pair.head and _shifts(pair.head)
        for reference in references_in([pair.head.properties.get("FunctionName")])
    }
    for pair in diff.resources(_FUNCTION):
        if not (pair.base and pair.head) or pair.place not in shifting:
            continue
        before, after = (side.properties.get("Role") for side in (pair.base, pair.head))
        replaced = any(
            diff.is_replaced(pair.stack.name, reference.name) for reference in references_in([after])
        )
        if before != after or replaced:
            yield Found(
                "danger",
                pair.stack.name,
                pair.logical_id,
                f"function {pair.head.path}",
                "another execution role, while CodeDeploy shifts traffic between two versions",
                "Lambda refuses an alias on two versions with different roles. The deployment fails and rolls back.",
                "First deploy the other role without CodeDeployLambdaAliasUpdate (rollout.strategy: none). Then deploy the "
                "rollout again.",
            )


def _shifts(alias: Resource) -> bool:
    return bool(mapping(alias.body.get("UpdatePolicy")).get("CodeDeployLambdaAliasUpdate"))
