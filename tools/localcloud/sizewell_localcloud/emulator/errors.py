"""Errors that a service answers with."""


class AwsError(Exception):
    """An error of a service, as its API client sees it."""

    def __init__(self, code: str, message: str, status: int = 400) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.status = status


class ValidationError(AwsError):
    """A request that the service's own rules refuse."""

    def __init__(self, message: str) -> None:
        super().__init__("ValidationException", message)
