"""What S3 takes as the name of a general purpose bucket.

https://docs.aws.amazon.com/AmazonS3/latest/userguide/bucketnamingrules.html (read 2026-11-22).
"""

import re

#: 3 to 63 lower-case letters, digits, dots and hyphens; a letter or digit at both ends.
BUCKET_NAME = r"^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$"
_IP_ADDRESS = re.compile(r"[0-9]{1,3}(\.[0-9]{1,3}){3}")
_RESERVED_PREFIXES = ("xn--", "sthree-", "amzn-s3-demo-")
_RESERVED_SUFFIXES = ("-s3alias", "--ol-s3", ".mrap", "--x-s3", "--table-s3")


def bucket_name_problem(name: str) -> str | None:
    """Return why S3 refuses a name, None where it takes it."""
    if re.fullmatch(BUCKET_NAME, name) is None:
        return "S3 takes 3 to 63 lower-case letters, digits, dots and hyphens, with a letter or digit at both ends"
    if ".." in name:
        return "S3 takes no two dots side by side"
    if _IP_ADDRESS.fullmatch(name):
        return "S3 takes no name in the form of an IP address"
    for prefix in _RESERVED_PREFIXES:
        if name.startswith(prefix):
            return f"S3 takes no name that begins with {prefix}"
    for suffix in _RESERVED_SUFFIXES:
        if name.endswith(suffix):
            return f"S3 keeps names that end with {suffix} for something else than these buckets"
    return None
