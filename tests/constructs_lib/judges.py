"""What cdk-nag and cfn-lint say of a construct."""

import json
from collections.abc import Mapping
from typing import Any

from cdk_nag import AwsSolutionsChecks, HIPAASecurityChecks, NIST80053R5Checks, PCIDSS321Checks
from constructs import IConstruct

Finding = tuple[str, str]


def open_findings(scope: IConstruct) -> set[Finding]:
    """Return construct path and id of everything that the four packs find and nobody has acknowledged."""
    packs = (AwsSolutionsChecks(), HIPAASecurityChecks(), NIST80053R5Checks(), PCIDSS321Checks())
    return {
        (str(resource.construct_path), violation.rule_name)
        for pack in packs
        for violation in pack.validate_scope(scope).violations
        for resource in violation.violating_resources
    }


def lint_matches(template: Mapping[str, Any]) -> list[str]:
    """Return what cfn-lint warns of, or calls an error."""
    from cfnlint.api import lint_all  # a second of imports, for few tests

    return [str(match) for match in lint_all(json.dumps(template)) if match.rule.severity != "informational"]
