"""Write ``sizewell/templates/resource_schemas.csv`` from the schemas that cfn-lint ships.

python -m tools.benchmarks.resource_schemas
"""

import csv
import io
import json
from collections.abc import Iterator
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

# Found and not imported, which takes a second.
_CFN_LINT = find_spec("cfnlint")
assert _CFN_LINT is not None
SCHEMAS = Path(str(_CFN_LINT.origin)).parent / "data" / "schemas"
TABLE = Path(__file__).parents[2] / "sizewell" / "templates" / "resource_schemas.csv"
#: The region whose types are listed: it has all of them, or nearly.
REGION = "us-east-1"
COLUMNS = (
    "resource_type",
    "create_only",
    "conditional",
    "unordered",
    "identifier",
    "read_only",
    "deleted_first",
)
#: Lists deeper than this are left in their order: schemas nest without end.
MAX_DEPTH = 8

Schema = dict[str, Any]


def main() -> None:
    """Write the table."""
    TABLE.write_text(table_text(), encoding="utf-8")
    print(f"{TABLE.name}: {len(schema_files()):,} types, {TABLE.stat().st_size:,} bytes")


def table_text() -> str:
    """Return the table as it should be with the installed cfn-lint."""
    text = io.StringIO()
    text.write(f"# From the CloudFormation resource schemas of {REGION} in cfn-lint {version('cfn-lint')}\n")
    writer = csv.DictWriter(text, COLUMNS, lineterminator="\n")
    writer.writeheader()
    for name in sorted(schema_files()):
        writer.writerow(row_of(schema_of(name)))
    return text.getvalue()


def schema_files() -> dict[str, str]:
    """Return the file of each type's schema."""
    files: dict[str, str] = json.loads((SCHEMAS / "providers" / f"{REGION}.json").read_text("utf-8"))
    return files


def schema_of(resource_type: str) -> Schema:
    """Return the schema of a type."""
    path = SCHEMAS / "resources" / f"{schema_files()[resource_type]}.json"
    schema: Schema = json.loads(path.read_text("utf-8"))
    return schema


def row_of(schema: Schema) -> dict[str, str]:
    """Return what the table says of a type."""
    read_only = {path.split("/")[0] for path in pointers(schema, "readOnlyProperties") if "/" not in path}
    return {
        "resource_type": schema["typeName"],
        "create_only": " ".join(pointers(schema, "createOnlyProperties")),
        "conditional": " ".join(pointers(schema, "conditionalCreateOnlyProperties")),
        "unordered": " ".join(sorted(set(unordered(schema, schema, (), frozenset())))),
        "identifier": " ".join(pointers(schema, "primaryIdentifier")),
        "read_only": " ".join(sorted(read_only)),
        "deleted_first": "yes" if schema.get("replacementStrategy") == "delete_then_create" else "",
    }


def pointers(schema: Schema, key: str) -> list[str]:
    """Return the property paths that a schema lists under a key, without the words that only schemas need."""
    paths = {
        path.removeprefix("/properties/").replace("/items/properties/", "/*/")
        for path in schema.get(key) or ()
    }
    return sorted(path.replace("/properties/", "/").replace("/items", "/*") for path in paths)


def unordered(node: Any, root: Schema, path: tuple[str, ...], above: frozenset[str]) -> Iterator[str]:
    """Yield the paths of lists whose order means nothing."""
    if not isinstance(node, dict) or len(path) > MAX_DEPTH:
        return
    if "$ref" in node:
        name = node["$ref"].rpartition("/")[2]
        if name not in above:
            yield from unordered(root.get("definitions", {}).get(name), root, path, above | {name})
        return
    if "items" in node:
        if node.get("insertionOrder") is False and path:
            yield "/".join(path)
        yield from unordered(node["items"], root, (*path, "*"), above)
    for name, member in (node.get("properties") or {}).items():
        if not (path == () and name in _read_only(root)):
            yield from unordered(member, root, (*path, name), above)
    for word in ("oneOf", "anyOf", "allOf"):
        for member in node.get(word) or ():
            yield from unordered(member, root, path, above)


def _read_only(schema: Schema) -> set[str]:
    return {path for path in pointers(schema, "readOnlyProperties") if "/" not in path}


if __name__ == "__main__":
    main()
