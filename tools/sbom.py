"""Write the software bill of materials, which the wheel carries: ``python -m tools.sbom``, or ``make sbom``.

CycloneDX 1.6 has the schema: https://cyclonedx.org/docs/1.6/json/. PEP 770 has the place in a wheel:
https://peps.python.org/pep-0770/. The same lock file makes the same bytes: no time of writing, no random serial number.
"""

import importlib.metadata
import tomllib
from typing import Any

from cyclonedx.contrib.license.factories import LicenseFactory
from cyclonedx.model import ExternalReference, ExternalReferenceType, HashAlgorithm, HashType, Property, XsUri
from cyclonedx.model.bom import Bom
from cyclonedx.model.component import Component, ComponentType
from cyclonedx.model.license import License, LicenseAcknowledgement
from cyclonedx.model.lifecycle import NamedLifecycle
from cyclonedx.output import make_outputter
from cyclonedx.schema import OutputFormat, SchemaVersion
from cyclonedx.spdx import fixup_id, is_expression
from packageurl import PackageURL
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tools.lock_files import ROOT, Pin, read_pins

SBOM = ROOT / "sizewell.cdx.json"
_LOCKED = NamedLifecycle(
    name="locked",
    description="These versions of requirements.lock were tested with the release. An installer picks versions within the "
    "ranges of the wheel's metadata, which may be others.",
)


def main() -> None:
    """Write the bill."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    SBOM.write_text(bill_of_materials(project, read_pins(ROOT / "requirements.lock")) + "\n", "utf-8")
    print(f"{SBOM.name}: written")


def bill_of_materials(project: dict[str, Any], pins: list[Pin]) -> str:
    """Return the bill as JSON: what a project, the table of its pyproject.toml, was locked to."""
    url = PackageURL("pypi", name=project["name"], version=project["version"])
    product = Component(
        type=ComponentType.APPLICATION,
        bom_ref=str(url),
        name=project["name"],
        version=project["version"],
        description=project["description"],
        licenses=[_licence(project["license"])],
        purl=url,
    )
    components = {pin: _component(pin) for pin in pins}
    bom = Bom(components=components.values())
    bom.serial_number = None
    bom.metadata.timestamp = None
    bom.metadata.component = product
    bom.metadata.lifecycles = [_LOCKED]
    needed = {product: _names(project["dependencies"])}
    needed |= {components[pin]: _names(_installed_requirements(pin.name)) for pin in pins}
    for component, names in needed.items():
        bom.register_dependency(component, [components[pin] for pin in pins if pin.name in names])
    text: str = make_outputter(bom, OutputFormat.JSON, SchemaVersion.V1_6).output_as_string(indent=2)
    return text


def _component(pin: Pin) -> Component:
    url = PackageURL("pypi", name=pin.name, version=pin.version)
    licence = _installed_licence(pin.name)
    files = ExternalReference(
        type=ExternalReferenceType.DISTRIBUTION,
        url=XsUri(str(url)),
        comment="the files that may be installed, any one of them",
        hashes=[HashType(alg=HashAlgorithm.SHA_256, content=content) for content in pin.hashes],
    )
    return Component(
        type=ComponentType.LIBRARY,
        bom_ref=str(url),
        name=pin.name,
        version=pin.version,
        licenses=[licence] if licence else [],
        purl=url,
        external_references=[files],
        properties=[Property(name="sizewell:marker", value=pin.marker)] if pin.marker else [],
    )


def _installed_requirements(name: str) -> list[str]:
    """Return what a package requires where it is installed; nothing of one that is for another system."""
    try:
        return importlib.metadata.requires(name) or []
    except importlib.metadata.PackageNotFoundError:
        return []


def _names(requirements: list[str]) -> set[str]:
    """Return the names of packages, on any Python and system, without those of extras."""
    parsed = map(Requirement, requirements)
    return {canonicalize_name(each.name) for each in parsed if "extra ==" not in str(each.marker)}


def _installed_licence(name: str) -> License | None:
    """Return the licence that a package states where it is installed; None without one, or where it is not installed."""
    try:
        metadata = importlib.metadata.metadata(name)
    except importlib.metadata.PackageNotFoundError:
        return None
    classifiers = [
        line for line in metadata.get_all("Classifier", []) if line.startswith("License :: OSI Approved :: ")
    ]
    stated = [
        *metadata.get_all("License-Expression", []),
        *metadata.get_all("License", []),
        *(line.rpartition(" :: ")[2] for line in classifiers),
    ]
    # What has a name in SPDX comes first. Some packages put the whole text of their licence here.
    names = [text for text in stated if text not in ("", "UNKNOWN") and "\n" not in text]
    return next((_licence(text) for text in sorted(names, key=lambda text: not _is_spdx(text))), None)


def _is_spdx(text: str) -> bool:
    return fixup_id(text) is not None or is_expression(text)


def _licence(text: str) -> License:
    return LicenseFactory().make_from_string(text, license_acknowledgement=LicenseAcknowledgement.DECLARED)


if __name__ == "__main__":
    main()
