"""What must hold before a template leaves synth: rule packs and our own checks, whose findings are errors."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType

import jsii
from aws_cdk import (
    App,
    IPolicyValidationContext,
    IPolicyValidationPlugin,
    PolicyValidationPluginReport,
    PolicyViolatingResource,
    PolicyViolation,
    Validations,
)
from cdk_nag import AwsSolutionsChecks, HIPAASecurityChecks, NIST80053R5Checks, PCIDSS321Checks
from cdk_nag import NagPack as NagPackChecks

from sizewell.checks import RULE_IDS, Finding, OfferedTypes, check_template
from sizewell.facts.compliance_packs import NagPack

#: The name in front of a rule when a finding is acknowledged: ``Sizewell::alarm-threshold``.
PLUGIN_NAME = "Sizewell"

_PACKS: dict[str, Callable[[App], NagPackChecks]] = {
    NagPack.AWS_SOLUTIONS: AwsSolutionsChecks,
    NagPack.HIPAA_SECURITY: HIPAASecurityChecks,
    NagPack.NIST_800_53_R5: NIST80053R5Checks,
    NagPack.PCI_DSS: PCIDSS321Checks,
}


@jsii.implements(IPolicyValidationPlugin)
class TemplateChecks:
    """What cfn-lint and CDK's validator miss, as a validation plugin.

    The kernel calls back once for the whole app, and the templates are read from disk: two round trips, however many
    stacks.
    """

    def __init__(self, offered: OfferedTypes, elsewhere: Mapping[str, OfferedTypes]) -> None:
        self._offered = offered
        self._elsewhere = elsewhere

    @property
    def name(self) -> str:
        """The name in the report."""
        return PLUGIN_NAME

    @property
    def version(self) -> None:
        """None: the checks have no version of their own."""
        return

    @property
    def rule_ids(self) -> list[str]:
        """Every rule that is checked."""
        return list(RULE_IDS)

    def validate(self, context: IPolicyValidationContext) -> PolicyValidationPluginReport:
        """Check every template of the app."""
        violations = [
            _violation(finding, path)
            for path in context.template_paths
            for finding in check_template(json.loads(Path(path).read_text("utf-8")), self._offered_to(path))
        ]
        return PolicyValidationPluginReport(success=not violations, violations=violations)

    def _offered_to(self, template_path: str) -> OfferedTypes:
        return self._elsewhere.get(Path(template_path).name.removesuffix(".template.json"), self._offered)


def add_guards(
    app: App,
    pack_names: tuple[str, ...],
    offered: OfferedTypes,
    elsewhere: Mapping[str, OfferedTypes] = MappingProxyType({}),
) -> None:
    """Let our checks and the named cdk-nag packs judge every template; an unacknowledged finding fails synth.

    ``offered`` are the types of the region, and ``elsewhere`` those of the stacks that go to another one, by their ids.
    """
    packs = (_PACKS[name](app) for name in pack_names)
    Validations.of(app).add_plugins(TemplateChecks(offered, elsewhere), *packs)


def _violation(finding: Finding, template_path: str) -> PolicyViolation:
    return PolicyViolation(
        rule_name=finding.rule_id,
        # CDK prints the construct, and not the place inside it.
        description=f"{finding.property_path}: {finding.message}",
        fix=finding.what_to_do,
        severity="error",
        violating_resources=[
            PolicyViolatingResource(
                resource_logical_id=finding.logical_id,
                template_path=template_path,
                locations=[finding.property_path],
            )
        ],
    )
