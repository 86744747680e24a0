"""The JSON Schema that editors complete a configuration with: the keys of the models, and the names that the catalog knows.

It is made when somebody asks for it, and is in no commit: it knows the kinds, keys and types of the release that is installed.
"""

from sizewell.config.json_schema import (
    MEASUREMENTS_SCHEMA_NAME,
    SCHEMA_NAME,
    as_text,
    layer_schema,
    measurements_schema_text,
)
from sizewell.facts.interface_endpoints import interface_endpoint_services
from sizewell.instance_selection.catalog import load_catalog, regions
from sizewell.instance_selection.presets import load_presets


def editor_schema_text() -> str:
    """Return the schema of a configuration file as the text of its file."""
    # A catalog of any region holds the types of all.
    instance_types = load_catalog(regions()[0]).instance_types
    names = {
        "Region": regions(),
        "InstanceFamily": sorted({instance_type.family for instance_type in instance_types}),
        "InstanceType": sorted(instance_type.name for instance_type in instance_types),
        "InterfaceEndpointService": interface_endpoint_services(),
        "Preset": sorted(preset.name for preset in load_presets()),
    }
    return as_text(layer_schema(names))


def editor_schema_files() -> dict[str, str]:
    """Return the schemas that the lines ``yaml-language-server`` name: the text of each file by its name."""
    return {SCHEMA_NAME: editor_schema_text(), MEASUREMENTS_SCHEMA_NAME: measurements_schema_text()}
