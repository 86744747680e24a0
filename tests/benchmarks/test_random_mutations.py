"""Random faults are made in code, and in nothing that only looks like it."""

from pathlib import Path

from tools.benchmarks.random_mutations import faults

TEXT = '''"""1 < 2 and so on."""

from a import b


def bound(values, *rest, least=3):
    # min of them
    return min(*values, -1) <= 10 and f(*rest)
'''


def test_each_fault_is_one_token_that_is_another_one() -> None:
    found = list(faults(Path("a.py"), TEXT))

    assert [(fault.line, fault.token, fault.becomes) for fault in found] == [
        (8, "min", "max"),
        (8, "-", "+"),
        (8, "1", "2"),
        (8, "<=", "<"),
        (8, "10", "11"),
        (8, "and", "or"),
    ]
    assert found[3].made_in(TEXT) == TEXT.replace("<=", "<")
