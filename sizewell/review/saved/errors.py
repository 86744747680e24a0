"""What is wrong with an output."""

from collections.abc import Sequence


class SavedOutputError(Exception):
    """An output cannot be compared; holds every fault, each a line that names the file."""

    def __init__(self, faults: Sequence[str]) -> None:
        self.faults = tuple(faults)
        super().__init__("\n".join(self.faults))
