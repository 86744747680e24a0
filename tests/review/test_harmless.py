"""Keys of the configuration whose change is known to do no harm, and that nothing else is among them."""

import pytest

from sizewell.review.harmless import is_harmless_key


@pytest.mark.parametrize(
    ("key_path", "base", "head", "harmless"),
    [
        ("workloads.chat.description", "a", "b", True),
        ("workloads.chat.model.description", "a", "b", False),
        ("policy.log_retention_days", "30", "365", True),
        ("policy.log_retention_days", "365", "30", False),
        ("policy.log_retention_days", "30", "", False),
        ("policy.max_endpoint_instances", "2", "20", False),
    ],
)
def test_keys_of_the_configuration(key_path: str, base: str, head: str, harmless: bool) -> None:
    assert is_harmless_key(key_path, base, head) is harmless
