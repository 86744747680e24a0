"""Merging an environment file into the base.

Maps merge key by key, so that an empty one changes nothing; below a workload, where it reads as "without", that is a fault.
Lists and scalars replace. ``null`` in the environment file removes the key; where the base has no such key of a variant, it
takes away what the endpoint of the variant has. What is left keeps the position of the file that set it; a map that both files
write keeps the position in the base.
"""

from sizewell.config.faults import Fault, near_match, value_fault
from sizewell.config.tree import KeyPath, Node
from sizewell.config.variant_names import is_of_variant

#: ``workloads`` and the name of one: a section or a workload that says nothing is nothing said.
_WORKLOAD_DEPTH = 2


def merge_layers(base: Node, overlay: Node) -> tuple[Node, list[Fault]]:
    """Return the merged tree, and a fault for each ``null`` that changes nothing and each such map."""
    faults: list[Fault] = []
    return _merge(base, overlay, (), faults), faults


def _merge(base: Node | None, overlay: Node, path: KeyPath, faults: list[Fault]) -> Node:
    if not isinstance(overlay.value, dict):
        return overlay
    merges = base is not None and isinstance(base.value, dict)
    below = base.value if base is not None and isinstance(base.value, dict) else {}
    if len(path) > _WORKLOAD_DEPTH and below and not overlay.value:
        message = "an empty map changes nothing here: what base.yaml says in it holds"
        hint = f"to remove that, write null for each key: {{{', '.join(f'{key}: null' for key in below)}}}"
        faults.append(value_fault(overlay.position, path, message, hint=hint))
    merged = dict(below)
    for key, node in overlay.value.items():
        if node.value is not None:
            merged[key] = _merge(below.get(key), node, (*path, key), faults)
        elif key in below:
            del merged[key]
        elif is_of_variant(path):
            merged[key] = node
        else:
            match = near_match(key, below)
            hint = f"did you mean {match}?" if match else "leave the key out to get its default"
            message = "null removes a key of base.yaml, but base.yaml has no such key here"
            faults.append(value_fault(node.position, (*path, key), message, hint=hint))
    return Node(merged, base.position if base is not None and merges else overlay.position)
