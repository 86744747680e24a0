"""What errors of AWS, and of the way to it, mean: no login, no right, nothing there."""

from botocore.exceptions import (
    BotoCoreError,
    ClientError,
    CredentialRetrievalError,
    NoCredentialsError,
    PartialCredentialsError,
    ProfileNotFound,
    SSOError,
    TokenRetrievalError,
)

#: Raised before anything is asked.
NOT_LOGGED_IN = (
    CredentialRetrievalError,
    NoCredentialsError,
    PartialCredentialsError,
    ProfileNotFound,
    SSOError,
    TokenRetrievalError,
)
#: By which codes services say that there is no such thing; S3 answers a HEAD with a status alone.
_MISSING = (
    "404",
    "FileSystemNotFound",
    "NoSuchBucket",
    "NoSuchEntity",
    "NotFound",
    "NotFoundException",
    "ParameterNotFound",
    "RepositoryNotFoundException",
    "ResourceNotFound",
    "ResourceNotFoundException",
)


def has_no_login(error: Exception) -> bool:
    """Return whether the caller has no credentials, or those of yesterday.

    ExpiredToken, ExpiredTokenException or RequestExpired: https://docs.aws.amazon.com/STS/latest/APIReference/CommonErrors.html
    """
    if isinstance(error, ClientError):
        return "Expired" in code_of(error)
    return isinstance(error, NOT_LOGGED_IN)


def how_to_log_in(error: BotoCoreError | ClientError) -> str:
    """Return what to say where ``has_no_login``."""
    said = "the credentials have expired" if isinstance(error, ClientError) else str(error)
    return f"AWS: {said}. Log in, or name a profile of your AWS configuration with --profile"


def is_denied(error: ClientError) -> bool:
    """Return whether an answer says that the caller may not ask."""
    return any(word in code_of(error) for word in ("403", "AccessDenied", "Unauthorized"))


def is_missing(error: ClientError) -> bool:
    """Return whether an answer says that there is no such thing.

    Codes of EC2 end so: https://docs.aws.amazon.com/AWSEC2/latest/APIReference/errors-overview.html. CloudFormation and SageMaker
    have no code for it, but words (DescribeStacks: https://docs.aws.amazon.com/AWSCloudFormation/latest/APIReference/API_DescribeStacks.html;
    of SageMaker unproven).
    """
    code = code_of(error)
    in_words = code.startswith("Validation") and "does not exist" in str(error)
    return code in _MISSING or code.endswith(".NotFound") or in_words


def code_of(error: ClientError) -> str:
    """Return the code of an error."""
    return str(error.response["Error"].get("Code"))
