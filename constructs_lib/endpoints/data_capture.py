"""What an endpoint keeps of its requests and answers in the artifact bucket.

"Data capture", https://docs.aws.amazon.com/sagemaker/latest/dg/model-monitor-data-capture-endpoint.html
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from aws_cdk import aws_sagemaker as sagemaker

from constructs_lib.foundation.references import FoundationReferences

_MODE = {"input": "Input", "output": "Output"}


@dataclass(frozen=True, kw_only=True)
class DataCapture:
    """Which share of the requests is kept, in percent, what of them, and below which prefix of the artifact bucket.

    Bodies of ``json_content_types`` and ``csv_content_types`` are kept as they are, others in base64. Raises ValueError for a
    share beyond 1 to 100, a prefix that is none, and for nothing to keep.
    """

    prefix: str
    sampling_percent: int
    capture: Sequence[Literal["input", "output"]] = ("input", "output")
    json_content_types: Sequence[str] = ()
    csv_content_types: Sequence[str] = ()

    def __post_init__(self) -> None:
        """Check what CreateEndpointConfig would refuse."""
        if not 1 <= self.sampling_percent <= 100:
            raise ValueError(f"sampling_percent must lie between 1 and 100, got {self.sampling_percent}")
        if not self.prefix.endswith("/") or self.prefix.startswith("/"):
            raise ValueError(f"prefix ends with a slash, and does not begin with one, got {self.prefix!r}")
        if not self.capture:
            raise ValueError("capture names input, output or both")

    def to_config(
        self, foundation: FoundationReferences
    ) -> sagemaker.CfnEndpointConfig.DataCaptureConfigProperty:
        """Return the property for the endpoint configuration."""
        types = sagemaker.CfnEndpointConfig.CaptureContentTypeHeaderProperty(
            json_content_types=list(self.json_content_types) or None,
            csv_content_types=list(self.csv_content_types) or None,
        )
        return sagemaker.CfnEndpointConfig.DataCaptureConfigProperty(
            enable_capture=True,
            initial_sampling_percentage=self.sampling_percent,
            destination_s3_uri=f"s3://{foundation.artifact_bucket_name}/{self.prefix}",
            kms_key_id=foundation.data_key_arn,
            capture_options=[
                sagemaker.CfnEndpointConfig.CaptureOptionProperty(capture_mode=_MODE[what])
                for what in self.capture
            ],
            capture_content_type_header=types if self.json_content_types or self.csv_content_types else None,
        )
