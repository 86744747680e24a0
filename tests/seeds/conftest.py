"""Every test may carry the statement that it is about in its id."""

import pytest


@pytest.fixture(autouse=True)
def statement(request: pytest.FixtureRequest) -> str:
    """Return the statement of the seed; empty where a table of cases has ids of its own."""
    return str(getattr(request, "param", ""))
