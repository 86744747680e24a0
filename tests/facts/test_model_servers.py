"""The tables of model servers: every image that serves is in them, each fact with its source."""

import re

from sizewell.facts.container_images import Job, image_releases
from sizewell.facts.model_servers import (
    NETWORKS,
    TABLES,
    image_server,
    image_servers,
    least_request_bytes,
)
from sizewell.instance_selection import Architecture

VARIABLE = re.compile(r"[A-Z][A-Z0-9_]+")


def test_every_image_of_aws_that_serves_has_its_server() -> None:
    serving = {release.repository for release in image_releases() if Job.INFERENCE in release.jobs}
    assert {one.repository for one in image_servers()} == serving


def test_each_fact_has_a_source_and_the_day_on_which_it_was_read() -> None:
    for one in image_servers():
        for fact in (one, one.server):
            assert fact.source.startswith("https://"), fact
            assert re.fullmatch(r"\d{4}-\d\d-\d\d", fact.read), fact


def test_what_has_a_variable_has_a_default_that_somebody_states() -> None:
    for one in image_servers():
        server = one.server
        for limit in (server.request_bytes, server.response_bytes, server.timeout_s):
            assert all(map(VARIABLE.fullmatch, limit.variables))
            assert not limit.variables or limit.default, server
        assert server.model_variable is None or VARIABLE.fullmatch(server.model_variable)
    assert least_request_bytes() == 2_000_000


def test_families_are_those_of_the_configuration() -> None:
    for one in image_servers():
        assert one.serves <= NETWORKS | TABLES, one
    assert NETWORKS - {"image-encoder"} == set(Architecture) - {"gradient-boosting", "linear"}


def test_images_of_one_repository_differ_by_their_tags() -> None:
    lmi, other = (
        image_server("djl-inference", "0.36.0-lmi18.0.0-cu128"),
        image_server("djl-inference", "0.36.0-cpu-full"),
    )
    assert lmi is not None
    assert other is not None
    assert "cnn" not in lmi.serves
    assert "cnn" in other.serves
    assert image_server("djl-inference") == other
    assert image_server("a-server-of-ours", "1") is None
