"""A real-time endpoint with nothing but what it needs."""

import pytest

from constructs_lib.endpoints.realtime_endpoint import RealtimeEndpointProps
from constructs_lib.foundation.references import FoundationReferences


@pytest.fixture
def props(foundation: FoundationReferences) -> RealtimeEndpointProps:
    return RealtimeEndpointProps(
        endpoint_name="fraud-dev",
        instance_type="ml.m5.large",
        image_uri="111122223333.dkr.ecr.us-east-1.amazonaws.com/fraud@sha256:" + "0" * 64,
        artifact_key="models/fraud/7/model.tar.gz",
        foundation=foundation,
    )
