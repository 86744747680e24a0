"""What holds for each program of the contract: one text for any image with Python 3.9."""

import ast
import re
import subprocess
import sys

import pytest

from sizewell.targets.contract import packed, program

NAMES = ("load_model", "train_model", "transform_objects", "transform_with_model", "work_queue")


@pytest.mark.parametrize("name", NAMES)
def test_it_is_written_for_python_3_9_and_needs_nothing_else(name: str) -> None:
    tree = ast.parse(program(name), feature_version=(3, 9))
    modules = {
        found.split(".")[0]
        for node in ast.walk(tree)
        for found in (
            [alias.name for alias in node.names]
            if isinstance(node, ast.Import)
            else [node.module or ""]
            if isinstance(node, ast.ImportFrom)
            else []
        )
    }
    assert modules <= sys.stdlib_module_names


@pytest.mark.parametrize("name", NAMES)
def test_no_name_has_two_meanings_in_one_text(name: str) -> None:
    assigned = [
        found
        for node in ast.parse(program(name)).body
        for found in (
            [node.name]
            if isinstance(node, ast.FunctionDef | ast.ClassDef)
            else [
                one.id
                for one in ast.walk(node)
                if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)
            ]
            if isinstance(node, ast.Assign | ast.AnnAssign)
            else []
        )
    ]
    assert sorted(assigned) == sorted(set(assigned))


@pytest.mark.parametrize("name", NAMES)
def test_a_packed_program_does_the_same(name: str) -> None:
    refusals = {
        subprocess.run(
            [sys.executable, "-I", "-S", "-c", text], env={}, capture_output=True, text=True, check=False
        ).stderr
        for text in (program(name), packed(name))
    }
    assert len(refusals) == 1
    assert re.fullmatch(r"[^\n]+\.\n", refusals.pop())


@pytest.mark.parametrize("name", NAMES)
def test_it_fits_into_a_job_definition_beside_its_variables(name: str) -> None:
    # 24 KiB: https://docs.aws.amazon.com/batch/latest/userguide/service_limits.html
    assert len(packed(name)) < 15 * 1024
