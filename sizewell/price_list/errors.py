"""What ends a refresh."""


class PriceListError(Exception):
    """AWS, or the way to it, says no, or answers in another shape: the text says what, and what to do."""
