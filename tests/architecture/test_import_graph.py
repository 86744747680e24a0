"""Modules import each other in one direction: no circles, and no section of the review knows another."""

import ast
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

from tests.synthesis import PROJECT_ROOT

TOPS = ("sizewell", "constructs_lib", "stacks", "tools")
#: The parts of a review that people read as chapters; what two of them need stands beside them.
SECTIONS = {"configuration", "cost", "hazards", "parity", "resources", "security", "selection"}

Graph = Mapping[str, frozenset[str]]


def _module(path: Path) -> str:
    parts = path.relative_to(PROJECT_ROOT).with_suffix("").parts
    # How two folders are imported: the wheel ships one below sizewell, and the other is a distribution of its own.
    if parts[0] == "stacks":
        parts = ("sizewell", *parts)
    elif parts[:2] == ("tools", "localcloud"):
        parts = parts[2:]
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def _statements(node: ast.AST) -> Iterator[ast.AST]:
    """Yield everything below a node that runs: not what only a type checker reads."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.If) and ast.unparse(child.test).endswith("TYPE_CHECKING"):
            continue
        yield child
        yield from _statements(child)


def imported_names(source: str, module: str, *, is_package: bool) -> set[str]:
    """Return the dotted names that a module imports, at its top and inside of functions; relative ones made absolute."""
    names: set[str] = set()
    for node in _statements(ast.parse(source)):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            parts = module.split(".")
            base = parts[: len(parts) - node.level + is_package] if node.level else []
            origin = ".".join([*base, *([node.module] if node.module else [])])
            names |= {f"{origin}.{alias.name}" for alias in node.names}
    return names


@cache
def import_graph() -> Graph:
    """Return the modules of ours, each with those that it imports."""
    files = {_module(path): path for top in TOPS for path in sorted((PROJECT_ROOT / top).rglob("*.py"))}

    def resolve(name: str) -> str | None:
        """Return the module that a dotted name is, or that it is a name of."""
        if name in files:
            return name
        parent = name.rpartition(".")[0]
        return parent if parent in files else None

    graph = {}
    for module, path in files.items():
        names = imported_names(path.read_text("utf-8"), module, is_package=path.name == "__init__.py")
        graph[module] = frozenset(found for name in names if (found := resolve(name)) not in (None, module))
    return graph


def circles(graph: Graph) -> list[list[str]]:
    """Return the groups of modules that import each other, directly or through others (Tarjan's algorithm)."""
    number: dict[str, int] = {}
    lowest: dict[str, int] = {}
    open_modules: list[str] = []
    found: list[list[str]] = []

    def visit(module: str) -> None:
        number[module] = lowest[module] = len(number)
        open_modules.append(module)
        for other in sorted(graph[module]):
            if other not in number:
                visit(other)
            if other in open_modules:
                lowest[module] = min(lowest[module], lowest[other])
        if lowest[module] == number[module]:
            start = open_modules.index(module)
            group, open_modules[start:] = sorted(open_modules[start:]), []
            if len(group) > 1:
                found.append(group)

    for module in sorted(graph):
        if module not in number:
            visit(module)
    return sorted(found)


def test_imports_are_found_wherever_they_stand() -> None:
    source = (
        "from typing import TYPE_CHECKING\n"
        "from .sibling import a\n"
        "def f():\n    from top.inner import b\n    import other.thing\n"
        "if TYPE_CHECKING:\n    from top import unseen\n"
    )
    names = {"typing.TYPE_CHECKING", "pack.sibling.a", "top.inner.b", "other.thing"}
    assert imported_names(source, "pack.module", is_package=False) == names
    assert imported_names("from .sibling import a", "pack", is_package=True) == {"pack.sibling.a"}


def test_a_circle_is_found() -> None:
    graph = {"a": {"b"}, "b": {"c", "d"}, "c": {"a"}, "d": set(), "e": {"a", "f"}, "f": {"e"}}
    assert circles({module: frozenset(others) for module, others in graph.items()}) == [
        ["a", "b", "c"],
        ["e", "f"],
    ]


def test_no_modules_import_in_a_circle() -> None:
    graph = import_graph()
    assert {module.partition(".")[0] for module in graph} == {
        "sizewell",
        "sizewell_localcloud",
        "constructs_lib",
        "tools",
    }
    found = [
        "\n".join(f"  {module} -> {', '.join(sorted(graph[module] & set(group)))}" for module in group)
        for group in circles(graph)
    ]
    assert not found, "modules import each other:\n" + "\n\n".join(found)


def _section(module: str) -> str | None:
    parts = module.split(".")
    return parts[2] if parts[:2] == ["sizewell", "review"] and parts[2:3] and parts[2] in SECTIONS else None


def test_sections_of_the_review_do_not_import_each_other() -> None:
    arrows = [
        f"  {module} -> {other}"
        for module, others in sorted(import_graph().items())
        for other in sorted(others)
        if (section := _section(module)) and (foreign := _section(other)) and section != foreign
    ]
    assert not arrows, "imports between sections:\n" + "\n".join(arrows)
