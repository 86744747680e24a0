"""What must hold before a template leaves synth: rule packs whose findings are errors."""

from collections.abc import Callable

from aws_cdk import App, Validations
from cdk_nag import AwsSolutionsChecks, HIPAASecurityChecks, NagPack, NIST80053R5Checks, PCIDSS321Checks

_PACKS: dict[str, Callable[[App], NagPack]] = {
    "aws-solutions": AwsSolutionsChecks,
    "hipaa-security": HIPAASecurityChecks,
    "nist-800-53-r5": NIST80053R5Checks,
    "pci-dss": PCIDSS321Checks,
}


def add_guards(app: App, pack_names: tuple[str, ...]) -> None:
    """Let the named cdk-nag packs judge every template; an unacknowledged finding fails synth."""
    Validations.of(app).add_plugins(*(_PACKS[name](app) for name in pack_names))
