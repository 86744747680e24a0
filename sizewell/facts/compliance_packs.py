"""The rule packs of cdk-nag 3 (https://github.com/cdklabs/cdk-nag): our names of them, and the ids of their findings."""

from enum import StrEnum


class NagPack(StrEnum):
    """A cdk-nag rule pack that must be free of findings in this environment."""

    AWS_SOLUTIONS = "aws-solutions"
    HIPAA_SECURITY = "hipaa-security"
    NIST_800_53_R5 = "nist-800-53-r5"
    PCI_DSS = "pci-dss"


#: What the ids of the packs begin with that share most of their rules: ``<pack>-<rule>``.
COMPLIANCE_PACKS = ("HIPAA.Security", "NIST.800.53.R5", "PCI.DSS.321")
