"""The guide says what the models say: every key with its meaning, and examples that come out as shown."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from sizewell.config.merge import merge_layers
from sizewell.config.yaml_source import parse_yaml
from tools.config_guide import updated_guide


@pytest.fixture
def guide(project_root: Path) -> str:
    return (project_root / "docs" / "guides" / "configuration.md").read_text("utf-8")


def blocks(guide: str, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", guide, re.MULTILINE | re.DOTALL)


def test_guide_lists_every_key_as_the_models_describe_it(guide: str) -> None:
    assert guide == updated_guide(guide), "run: make docs"


def test_a_section_too_many_or_too_few_is_named(guide: str) -> None:
    without = guide.replace("### `network`\n", "### `netwrk`\n")
    with pytest.raises(ValueError, match="of each of: network; of these it needs none: netwrk"):
        updated_guide(without)


def test_example_merges_as_shown(guide: str) -> None:
    base, overlay, result = (parse_yaml(block, "f.yaml")[0] for block in blocks(guide, "yaml")[:3])
    assert base is not None
    assert overlay is not None
    assert result is not None
    merged, faults = merge_layers(base, overlay)
    assert faults == []
    assert merged.plain() == result.plain()


def test_example_of_mistakes_gives_the_messages_shown(guide: str, message_for: Callable[[str], str]) -> None:
    (mistakes,) = [block for block in blocks(guide, "yaml") if "mistakes" in block]
    (messages,) = blocks(guide, "text")
    assert message_for(mistakes) + "\n" == messages
