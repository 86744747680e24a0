"""AWS Budgets' CloudFormation type, which ministack's CloudFormation lacks: nobody is billed, so no budget is ever exceeded."""

import json
from typing import Any

from ministack.services import budgets

from sizewell_localcloud.emulator.account import random_suffix
from sizewell_localcloud.emulator.cloudformation import Created
from sizewell_localcloud.emulator.errors import AwsError
from sizewell_localcloud.emulator.resource_schemas import Properties


class _Budget:
    """A budget; its id is its name. Other notifications replace it, all else of it changes in place."""

    type_name = "AWS::Budgets::Budget"
    name_property = None
    blocks = False

    def create(self, logical_id: str, properties: Properties, stack_name: str) -> Created:
        """Create it under its own name, or a new one for each replacement."""
        name = properties["Budget"].get("BudgetName") or f"{logical_id[:50]}-{random_suffix()}"
        members = ("NotificationsWithSubscribers", "ResourceTags")
        more = {member: properties[member] for member in members if member in properties}
        _call("CreateBudget", Budget=_budget(properties, name), **more)
        return name, {"Id": name}

    def update(self, physical_id: str, old: Properties, new: Properties, stack_name: str) -> Created:
        """Change what does not replace it."""
        _call("UpdateBudget", NewBudget=_budget(new, physical_id))
        budget_arn = budgets._budget_arn(physical_id)
        before, after = ({tag["Key"]: tag for tag in one.get("ResourceTags", [])} for one in (old, new))
        if gone := sorted(before.keys() - after.keys()):
            _call("UntagResource", ResourceARN=budget_arn, ResourceTagKeys=gone)
        if after:
            _call("TagResource", ResourceARN=budget_arn, ResourceTags=list(after.values()))
        return physical_id, {"Id": physical_id}

    def delete(self, physical_id: str, properties: Properties) -> None:
        """Delete it, unless it is gone."""
        if physical_id in budgets._budgets:
            _call("DeleteBudget", BudgetName=physical_id)


BUDGET_TYPES = [_Budget()]


def _budget(properties: Properties, name: str) -> dict[str, Any]:
    """Return a budget as the API takes it: amounts are texts."""
    budget = {**properties["Budget"], "BudgetName": name}
    if "BudgetLimit" in budget:
        limit = budget["BudgetLimit"]
        budget["BudgetLimit"] = {**limit, "Amount": str(limit["Amount"])}
    return budget


def _call(operation: str, **request: Any) -> None:
    status, _, body = budgets._DISPATCH[operation](request)
    if status != 200:
        answer = json.loads(body)
        raise AwsError(answer["__type"], answer["message"])
