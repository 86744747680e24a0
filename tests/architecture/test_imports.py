"""Arrows between packages never point back: a small test reads the imports."""

import ast
import re
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from tests.synthesis import PROJECT_ROOT

#: What every package may import: facts, and modules that know nothing of the product.
GROUND = {
    "sizewell.aws_errors",
    "sizewell.facts",
    "sizewell.modules",
    "sizewell.documented_model",
    "sizewell.kinds.registry",
    "sizewell.targets.registry",
    "sizewell.whole_files",
}
#: What each package may import of ours besides; of the outside, NEVER_IMPORTS says what it may not.
MAY_IMPORT: dict[str, set[str]] = {
    "sizewell.facts": set(),
    "sizewell.config": set(),
    "sizewell.instance_selection": set(),
    "sizewell.planning": {"sizewell.config", "sizewell.instance_selection", "sizewell.checks"},
    "sizewell.dashboards": {"sizewell.planning"},
    "sizewell.kinds": {
        "sizewell.config",
        "sizewell.dashboards",
        "sizewell.instance_selection",
        "sizewell.planning",
    },
    "sizewell.targets": {
        "sizewell.config",
        "sizewell.dashboards",
        "sizewell.instance_selection",
        "sizewell.planning",
    },
    "sizewell.templates": set(),
    "sizewell.checks": {"sizewell.templates"},
    "sizewell.review": {
        "sizewell.config",
        "sizewell.instance_selection",
        "sizewell.planning",
        "sizewell.checks",
        "sizewell.templates",
    },
    "sizewell.synthesis": set(),
    "sizewell.deploy": {"sizewell.templates"},
    "sizewell.load": set(),
    "sizewell.price_list": {"sizewell.instance_selection"},
    "sizewell.account": {
        "sizewell.deploy",
        "sizewell.instance_selection",
        "sizewell.planning",
        "sizewell.targets",
        "sizewell.templates",
    },
    "sizewell.pytest_plugin": {
        "sizewell.config",
        "sizewell.planning",
        "sizewell.review",
        "sizewell.synthesis",
        "sizewell.templates",
    },
    "sizewell.cli": {
        "sizewell.account",
        "sizewell.config",
        "sizewell.dashboards",
        "sizewell.deploy",
        "sizewell.instance_selection",
        "sizewell.load",
        "sizewell.planning",
        "sizewell.price_list",
        "sizewell.review",
        "sizewell.synthesis",
        "sizewell.templates",
        "sizewell_localcloud",
    },
    "constructs_lib": set(),
    "stacks": {
        "constructs_lib",
        "sizewell.dashboards",
        "sizewell.planning",
        "sizewell.kinds",
        "sizewell.targets",
        "sizewell.checks",
    },
    "sizewell_localcloud": set(),
}
CDK = {"aws_cdk", "constructs", "cdk_nag", "jsii"}
OUTSIDE_WORLD = {"boto3", "botocore", "socket", "urllib", "http", "requests", "subprocess", "getpass"}
CLOCK_AND_CHANCE = {"time", "datetime", "random", "secrets", "uuid"}
NEVER_IMPORTS: dict[str, set[str]] = {
    "sizewell.facts": OUTSIDE_WORLD | CLOCK_AND_CHANCE | {"os"},
    "sizewell.config": CDK | OUTSIDE_WORLD | CLOCK_AND_CHANCE | {"os"},
    "sizewell.instance_selection": CDK | OUTSIDE_WORLD | CLOCK_AND_CHANCE | {"os", "ruamel", "yaml"},
    "sizewell.planning": CDK | OUTSIDE_WORLD | CLOCK_AND_CHANCE | {"os", "ruamel", "yaml"},
    "sizewell.dashboards": CDK | OUTSIDE_WORLD | CLOCK_AND_CHANCE | {"os", "pydantic", "ruamel", "yaml"},
    "sizewell.kinds": CDK | OUTSIDE_WORLD | CLOCK_AND_CHANCE | {"os", "ruamel", "yaml"},
    "sizewell.targets": CDK | OUTSIDE_WORLD | CLOCK_AND_CHANCE | {"os", "ruamel"},
    "sizewell.checks": CDK | OUTSIDE_WORLD | CLOCK_AND_CHANCE | {"os", "ruamel", "yaml", "pydantic"},
    "sizewell.templates": CDK | OUTSIDE_WORLD | CLOCK_AND_CHANCE | {"os", "ruamel", "yaml", "pydantic"},
    "sizewell.review": CDK | OUTSIDE_WORLD | CLOCK_AND_CHANCE | {"os", "ruamel"},
    "sizewell.synthesis": CDK | (OUTSIDE_WORLD - {"subprocess"}) | {"pydantic", "ruamel", "yaml"},
    "sizewell.deploy": CDK | (OUTSIDE_WORLD - {"boto3", "botocore", "subprocess"}) | {"pydantic", "ruamel"},
    # It sends requests to what somebody named.
    "sizewell.load": CDK
    | (OUTSIDE_WORLD - {"botocore", "http", "urllib"})
    | {"os", "pydantic", "ruamel", "yaml"},
    "sizewell.price_list": CDK
    | (OUTSIDE_WORLD - {"boto3", "botocore", "http", "urllib"})
    | {"os", "pydantic", "ruamel", "yaml"},
    # It asks with boto3, and reads one file over HTTPS: what an image was built for.
    "sizewell.account": CDK | (OUTSIDE_WORLD - {"boto3", "botocore", "urllib"}) | {"os", "ruamel", "yaml"},
    "sizewell.pytest_plugin": CDK | (OUTSIDE_WORLD - {"subprocess"}) | CLOCK_AND_CHANCE | {"ruamel", "yaml"},
    "sizewell.cli": CDK | OUTSIDE_WORLD | CLOCK_AND_CHANCE,
    "constructs_lib": OUTSIDE_WORLD | CLOCK_AND_CHANCE | {"ruamel", "yaml", "pydantic"},
    "stacks": OUTSIDE_WORLD | CLOCK_AND_CHANCE | {"os", "ruamel", "yaml"},
    "sizewell_localcloud": CDK | {"pydantic", "ruamel", "yaml"},
}
#: The files that may know the process environment: one tells the kernel which Node.js to run, one hands the
#: environment on to the programs that it starts, and one tells libraries what they need not start.
MAY_READ_THE_ENVIRONMENT = {
    "constructs_lib/jsii_runtime.py",
    "sizewell/cli/startup.py",
    "sizewell/synthesis/processes.py",
}
#: What is written into templates and runs in the account: nothing of ours imports it, and it may know the time.
_CONTRACT = "sizewell/targets/contract"
RUNS_ELSEWHERE = {
    "constructs_lib/notebook/stop_when_idle.py",
    *(
        f"{_CONTRACT}/{name}.py"
        for name in (
            "aws_client",
            "load_model",
            "train_model",
            "transform_objects",
            "transform_with_model",
            "work_queue",
        )
    ),
}
#: The one package of this checkout that is not where its name says: the wheel has it there, and a link leads to it.
LINK, LINKED = "sizewell.stacks", "stacks"
#: What every layer may ask about kinds: it imports a kind only on demand.
REGISTRY = {"sizewell.kinds.registry", "sizewell.kinds.stack_kind"}
#: The same of targets; the package itself is where they lie.
TARGETS = {"sizewell.targets", "sizewell.targets.registry"}
#: A distribution of its own, which starts processes and knows the environment: that is its business.
LOCAL_CLOUD = "sizewell_localcloud"
#: What some files of a kind may import besides, or in place of what the others may.
OF_FACETS = {
    "config.py": {"sizewell.config"},
    "rules.py": {"sizewell.config"},
    "view.py": MAY_IMPORT["sizewell.kinds"] | {"sizewell.cli"},
}
#: Of planning and of kinds, stacks know the plan, not how it is made.
STACKS_MAY_KNOW = re.compile(
    r"sizewell\.(planning\.(\w+_plan_model|plan|scaling_policies|workload_plan)|kinds\.(registry|stack_kind|\w+\.plan_model)"
    r"|targets\.(contract(\.(proxy|trainer|transform|worker))?|\w+\.(\w+\.)?\w*plan_model))"
)


@cache
def _imports(path: Path) -> tuple[str, ...]:
    return tuple(_read_imports(path))


def _read_imports(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: imports are absolute here"
            yield node.module or ""


def _files(package: str) -> list[Path]:
    root = PROJECT_ROOT / "tools" / "localcloud" if package == LOCAL_CLOUD else PROJECT_ROOT
    return sorted((root / package.replace(".", "/")).rglob("*.py"))


def _module(path: str) -> str:
    return path.removesuffix(".py").replace("/", ".")


def _package(module: str) -> str | None:
    """Return the package of ours that a module belongs to: the folder in which it is."""
    if module in REGISTRY:
        return "sizewell.kinds.registry"
    if module in TARGETS:
        return "sizewell.targets.registry"
    parts = module.split(".")
    if parts[0] in ("sizewell", "tools"):
        name = ".".join(parts[:2])
        return LINKED if name == LINK else name
    return parts[0] if parts[0] in ("constructs_lib", "stacks", "app", "tests", LOCAL_CLOUD) else None


def test_a_kind_imports_no_other_kind() -> None:
    for path in _files("sizewell.kinds"):
        own = ".".join(path.relative_to(PROJECT_ROOT).parts[:3]).removesuffix(".py")
        of_kinds = {
            ".".join(module.split(".")[:3])
            for module in _imports(path)
            if module.startswith("sizewell.kinds.")
        }
        assert of_kinds - REGISTRY <= {own}, path


def test_every_package_has_its_rules() -> None:
    found = {
        f"{top}.{folder.name}"
        for top in ("sizewell", "tools")
        for folder in (PROJECT_ROOT / top).iterdir()
        if folder.is_dir() and not folder.is_symlink() and (folder / "__init__.py").exists()
    }
    assert found - {"tools.benchmarks"} | {"constructs_lib", "stacks", LOCAL_CLOUD} == set(MAY_IMPORT)


def test_no_module_is_imported_under_two_names() -> None:
    links = {path: path.resolve() for path in PROJECT_ROOT.glob("sizewell/**/*") if path.is_symlink()}
    assert links == {PROJECT_ROOT / "sizewell" / "stacks": PROJECT_ROOT / LINKED}
    files = [
        path for top in ("sizewell", "constructs_lib", "stacks", "tests", "tools") for path in _files(top)
    ]
    twice = {
        path.name: module for path in files for module in _imports(path) if module.partition(".")[0] == LINKED
    }
    assert twice == {}


@pytest.mark.parametrize("package", sorted(MAY_IMPORT))
def test_a_package_imports_only_what_it_may(package: str) -> None:
    assert _files(package)
    # Of the emulator nothing may agree with the product by being the same code.
    ground = GROUND if package not in {LOCAL_CLOUD, "sizewell.facts"} else set()
    for path in _files(package):
        may_import = OF_FACETS.get(path.name) if package in ("sizewell.kinds", "sizewell.targets") else None
        allowed = (MAY_IMPORT[package] if may_import is None else may_import) | ground | {package, None}
        if path.relative_to(PROJECT_ROOT).as_posix() in RUNS_ELSEWHERE:
            ours = {module for module in _imports(path) if _package(module) is not None}
            assert ours <= {_module(name) for name in RUNS_ELSEWHERE}, f"{path.name} stands alone"
            continue
        for module in _imports(path):
            assert _package(module) in allowed, f"{path.name} imports {module}"
            assert module not in {_module(name) for name in RUNS_ELSEWHERE}
            assert module.split(".")[0] not in NEVER_IMPORTS[package], f"{path.name} imports {module}"


def test_facts_need_the_standard_library_alone() -> None:
    for path in _files("sizewell.facts"):
        for module in _imports(path):
            assert module.split(".")[0] in sys.stdlib_module_names or _package(module) == "sizewell.facts", (
                f"{path.name} imports {module}"
            )


def test_the_door_of_an_app_only_puts_together() -> None:
    imports = set(_imports(PROJECT_ROOT / "sizewell" / "platform.py"))
    packages = {_package(module) for module in imports} - {None}
    assert packages == {
        "constructs_lib",
        "stacks",
        "sizewell.config",
        "sizewell.kinds.registry",
        "sizewell.planning",
        "sizewell.targets",
        "sizewell.whole_files",
    }
    assert not {module.split(".")[0] for module in imports} & (OUTSIDE_WORLD | CLOCK_AND_CHANCE)
    door = {"sizewell", "sizewell.platform"}
    assert {path for package in MAY_IMPORT for path in _files(package) if door & set(_imports(path))} == set()


def test_the_commands_of_the_local_cloud_start_with_the_standard_library_alone() -> None:
    # They must be able to say that the emulator is not installed; what asks the services is a process of its own.
    ask_the_services = {"clusters.py", "inventory.py", "deployed.py", "termination_protection.py"}
    for path in (PROJECT_ROOT / "tools" / "localcloud" / LOCAL_CLOUD).glob("*.py"):
        tops = {module.split(".")[0] for module in _imports(path)}
        outside = tops - sys.stdlib_module_names - {LOCAL_CLOUD}
        assert outside <= ({"boto3", "botocore", "rich"} if path.name in ask_the_services else set()), (
            path.name
        )


def test_the_modules_beside_the_packages_know_what_they_must() -> None:
    modules = {path.stem: set(_imports(path)) for path in (PROJECT_ROOT / "sizewell").glob("*.py")}
    tops = {name: {one.split(".")[0] for one in imported} for name, imported in modules.items()}
    # The door of an app is the one place of the engine that starts the kernel; it is imported when an app asks for it.
    assert [name for name in sorted(modules) if tops[name] & CDK] == ["platform"]
    for path in (PROJECT_ROOT / "sizewell").rglob("*.py"):
        if path.name != "__init__.py" or path.parent.name != "sizewell":
            assert "sizewell.platform" not in _imports(path), path
    for name in ("modules", "documented_model"):
        assert not {module for module in modules[name] if _package(module)}, name


def test_only_named_files_read_the_process_environment() -> None:
    for package in MAY_IMPORT.keys() - {LOCAL_CLOUD}:
        for path in _files(package):
            name = path.relative_to(PROJECT_ROOT).as_posix()
            if name not in MAY_READ_THE_ENVIRONMENT | RUNS_ELSEWHERE:
                assert "environ" not in {m for module in _imports(path) for m in module.split(".")}, name
                assert not re.search(r"\bos\.environ\b", path.read_text("utf-8")), name


def test_stacks_know_the_plan_and_not_how_it_is_made() -> None:
    for path in _files("stacks"):
        for module in _imports(path):
            if module.startswith(("sizewell.planning", "sizewell.kinds", "sizewell.targets")):
                assert STACKS_MAY_KNOW.fullmatch(module), f"{path.name}: {module}"


def test_constructs_never_use_the_generic_resource() -> None:
    # cdk-nag finds nothing on a CfnResource: a template full of them passes every pack.
    for package in ("constructs_lib", "stacks"):
        for path in _files(package):
            for node in ast.walk(ast.parse(path.read_text("utf-8"))):
                if isinstance(node, ast.Call):
                    called = (
                        node.func.attr
                        if isinstance(node.func, ast.Attribute)
                        else getattr(node.func, "id", "")
                    )
                    assert called != "CfnResource", path.name
