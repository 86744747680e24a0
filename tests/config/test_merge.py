"""The laws of merging, and where values come from afterwards."""

from typing import Any

from hypothesis import assume, given
from hypothesis import strategies as st

from sizewell.config.merge import merge_layers
from sizewell.config.tree import Node, Position
from sizewell.config.yaml_source import parse_yaml

KEYS = st.sampled_from("abcd")
SCALARS = st.integers(0, 3) | st.text("xy", max_size=1) | st.booleans()


def maps(values: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    below = values | st.lists(values, max_size=2)
    return st.dictionaries(
        KEYS, st.recursive(below, lambda deeper: st.dictionaries(KEYS, deeper, max_size=3))
    )


LAYERS = maps(SCALARS)
LAYERS_WITH_NULLS = maps(SCALARS | st.none())


def node(value: Any, file: str = "f.yaml") -> Node:
    at = Position(file, 1, 1)
    if isinstance(value, dict):
        return Node({key: node(item, file) for key, item in value.items()}, at)
    return Node([node(item, file) for item in value] if isinstance(value, list) else value, at)


def merged(*layers: dict[str, Any]) -> Any:
    result = node(layers[0])
    for layer in layers[1:]:
        result, _ = merge_layers(result, node(layer))
    return result.plain()


def same_kinds(one: Any, other: Any) -> bool:
    """Say whether the layers agree on where maps are: a map over a scalar forgets what the scalar replaced."""
    if isinstance(one, dict) and isinstance(other, dict):
        return all(same_kinds(one[key], other[key]) for key in one.keys() & other.keys())
    return not isinstance(one, dict) and not isinstance(other, dict)


@given(LAYERS)
def test_empty_layer_changes_nothing(layer: dict[str, Any]) -> None:
    assert merged(layer, {}) == merged({}, layer) == layer


@given(LAYERS, LAYERS_WITH_NULLS)
def test_same_layer_twice_changes_nothing_more(base: dict[str, Any], overlay: dict[str, Any]) -> None:
    assert merged(base, overlay, overlay) == merged(base, overlay)


@given(LAYERS, LAYERS, LAYERS)
def test_merging_is_associative_where_layers_agree_on_maps(a: Any, b: Any, c: Any) -> None:
    assume(same_kinds(a, b) and same_kinds(b, c) and same_kinds(a, c))
    assert merged(merged(a, b), c) == merged(a, merged(b, c))


@given(LAYERS, LAYERS)
def test_every_value_of_the_overlay_is_there(base: dict[str, Any], overlay: dict[str, Any]) -> None:
    result = node(merged(base, overlay))
    for path, leaf in node(overlay).leaves():
        assert result.nearest(path).plain() == leaf.plain()


@given(LAYERS, KEYS)
def test_null_removes_the_key_or_is_a_fault(base: dict[str, Any], key: str) -> None:
    result, faults = merge_layers(node(base), node({key: None}))
    assert key not in result.plain()
    assert [fault.key_path for fault in faults] == ([] if key in base else [(key,)])


@given(LAYERS, LAYERS_WITH_NULLS)
def test_no_null_survives_outside_lists(base: dict[str, Any], overlay: dict[str, Any]) -> None:
    def nulls(value: Any) -> bool:
        return value is None or (isinstance(value, dict) and any(map(nulls, value.values())))

    assert not nulls(merged(base, overlay))


@given(LAYERS, LAYERS)
def test_every_leaf_knows_the_file_that_set_it(base: dict[str, Any], overlay: dict[str, Any]) -> None:
    result, _ = merge_layers(node(base, "base.yaml"), node(overlay, "dev.yaml"))
    written = {path for path, _ in node(overlay).leaves()}
    for path, leaf in result.leaves():
        assert leaf.position.file == ("dev.yaml" if path in written else "base.yaml")


def test_lists_replace() -> None:
    assert merged({"a": [1, 2, 3]}, {"a": [4]}) == {"a": [4]}


def test_map_of_both_files_keeps_its_position_in_the_base() -> None:
    base, _ = parse_yaml("x: 1\na:\n  b: 1\n", "base.yaml")
    overlay, _ = parse_yaml("a:\n  c: 2\n", "dev.yaml")
    assert base is not None
    assert overlay is not None
    result, _ = merge_layers(base, overlay)
    assert result.nearest(("a",)).position == Position("base.yaml", 2, 1)
    assert result.nearest(("a", "c")).position == Position("dev.yaml", 2, 3)
    assert result.nearest(("a", "b")).position == Position("base.yaml", 3, 3)
