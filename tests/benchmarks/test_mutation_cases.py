"""A mutation that no longer applies would be counted as a fault that nobody noticed."""

import ast

import pytest

from tests.synthesis import PROJECT_ROOT
from tools.benchmarks.mutation_cases import MUTATIONS, Mutation


@pytest.mark.parametrize("mutation", MUTATIONS, ids=lambda mutation: mutation.name)
def test_the_text_of_each_edit_stands_once_and_what_replaces_it_is_code(mutation: Mutation) -> None:
    texts = {edit.file: (PROJECT_ROOT / edit.file).read_text("utf-8") for edit in mutation.edits}
    for edit in mutation.edits:
        assert texts[edit.file].count(edit.before) == 1, f"{edit.file}: {edit.before}"
        texts[edit.file] = texts[edit.file].replace(edit.before, edit.after)
    for file, text in texts.items():
        if file.endswith(".py"):
            ast.parse(text)
