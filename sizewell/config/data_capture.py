"""What an endpoint keeps of its requests and answers, for monitoring and for the next training."""

from typing import Annotated, Literal

from pydantic import Field

from sizewell.config.base import ConfigModel
from sizewell.config.effects import OnNumber

#: API reference: CaptureContentTypeHeader, at most ten of each.
_ContentTypes = Annotated[
    tuple[
        Annotated[
            str,
            Field(
                pattern=r"^[A-Za-z0-9][A-Za-z0-9!#$&^_.+-]*/[A-Za-z0-9][A-Za-z0-9!#$&^_.+-]*$",
                max_length=256,
                examples=["application/json"],
            ),
        ],
        ...,
    ],
    Field(min_length=1, max_length=10),
]


class DataCapture(ConfigModel):
    """Data capture: requests and answers as objects below inference/NAME/captured/ of the artifact bucket, for as long as
    storage.inference_data_expiry_days says."""

    sampling_percent: Annotated[
        int, Field(ge=1, le=100), OnNumber("fewer requests are kept", "more requests are kept")
    ]
    """Percent of the requests that are kept (InitialSamplingPercentage)."""
    capture: Annotated[tuple[Literal["input", "output"], ...], Field(min_length=1, max_length=2)] = (
        "input",
        "output",
    )
    """What is kept of them: the input, the output, or both."""
    json_content_types: _ContentTypes | None = None
    """Content types that are kept as JSON; what is neither CSV nor JSON is kept in base64."""
    csv_content_types: _ContentTypes | None = None
    """Content types that are kept as CSV."""
