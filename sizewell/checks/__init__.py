"""What cfn-lint and CDK's validator let through, found in CloudFormation templates as plain data.

``check_template`` works on any template, ours or not: no CDK, no network, no configuration. The rules are explained in
``docs/guides/template-checks.md``.
"""

from sizewell.checks.offers import OfferedTypes
from sizewell.checks.registry import RULE_IDS, check_template
from sizewell.checks.rule import Finding

__all__ = ["RULE_IDS", "Finding", "OfferedTypes", "check_template"]
