"""The proxy before a model on EKS: Envoy's configuration, which gives a SageMaker image the limits that it knows.

The tests run Envoy 1.40 with it (tests/integration/test_contract.py). No kubelet ran it: whether probes, hooks and the
order of the end work in a pod is argued from documents, not shown.

How a pod ends. Envoy does not drain on SIGTERM: it cuts what is in flight. So Envoy must be an init container with
``restartPolicy: Always``: the kubelet sends it SIGTERM only when the model has ended, but runs its ``preStop`` hook at once:
``httpGet`` of /drain on ``drain_port``. From then on /ping and /ready answer 503 and each answer closes its connection, while
requests are still served. The container of the model needs a ``preStop`` of its own that sleeps until the load balancers have
heard and, for engines that drop requests on SIGTERM, for ``response_timeout_s`` more.

Whoever reaches ``drain_port`` can take the pod out of service: let no NetworkPolicy open it. The kubelet needs no rule.
Envoy passes a request on as it comes, and holds little of it. One without a length, sent in chunks, is refused (411): to know its
size, Envoy would have to hold it whole.
"""

from collections.abc import Sequence
from typing import Any

from sizewell.facts.serving_modes import Mode, limit

#: One thread for each CPU of the node would be far too many; without hot restart Envoy needs no shared memory.
PROXY_ARGUMENTS = ("--concurrency", "2", "--disable-hot-restart", "--log-level", "warning")

#: https://docs.aws.amazon.com/sagemaker/latest/APIReference/API_runtime_InvokeEndpointWithResponseStream.html: 8 minutes.
STREAM_TIMEOUT_S = 480
#: https://docs.aws.amazon.com/sagemaker/latest/dg/your-algorithms-inference-code.html: /ping answers within 2 seconds.
PING_TIMEOUT_S = 2

#: From ten milliseconds to the end of a call.
USUAL_TIME_BUCKETS_MS = (
    10,
    25,
    50,
    100,
    200,
    400,
    800,
    1600,
    3200,
    6400,
    12_800,
    25_600,
    60_000,
)
_LENGTH, _MAX_INT64 = "content-length", 2**63 - 1
#: What is held of a connection while the other side is slower.
_HELD_BYTES = 64 * 1024
_EXTENSIONS = "type.googleapis.com/envoy.extensions"
#: Kubelet hooks can only GET, and Envoy's administration takes only POST for what changes something.
_TO_POST = "function envoy_on_request(handle) handle:headers():replace(':method', 'POST') end"
#: Expressions of whole names: a scrape is some forty lines, and not some thousand.
_METRICS = (
    r"cluster\.model\.upstream_rq_((pending_)?active|(active|pending)_overflow|time|(per_try_idle_)?timeout|[1-5]xx)",
    r"http\.invocations\.downstream_rq_(active|[1-5]xx)",
)


def proxy_configuration(
    *,
    model_port: int = 8080,
    port: int = 8081,
    admin_port: int = 9901,
    metrics_port: int = 9902,
    drain_port: int = 9903,
    address: str = "0.0.0.0",
    max_request_bytes: int = int(limit(Mode.REAL_TIME, "max_payload_mb")) * 1024**2,
    response_timeout_s: float = limit(Mode.REAL_TIME, "max_processing_s"),
    stream_timeout_s: float = STREAM_TIMEOUT_S,
    max_concurrency: int = 1024,
    time_buckets_ms: Sequence[float] = USUAL_TIME_BUCKETS_MS,
) -> dict[str, Any]:
    """Return Envoy's bootstrap configuration: what a ConfigMap holds as JSON.

    ``address`` is ``::`` in clusters with IPv6. The model has ``response_timeout_s`` until the first byte of its answer and
    between two of them, and ``stream_timeout_s`` for all of them: Envoy cannot know whether an answer will be a stream.
    ``max_concurrency`` requests are in the model at once and about as many wait; what comes beyond is turned away (503).
    Name the objective of latency in ``time_buckets_ms``: a quantile is exact at a bound only.
    """
    ping = {
        "match": {"path": "/ping", "headers": [_method("GET")]},
        # In a cluster of its own: a busy model is ready, and probes are not requests in flight.
        "route": {"cluster": "ping", "timeout": f"{PING_TIMEOUT_S}s"},
    }
    to_model = {
        "cluster": "model",
        "timeout": f"{stream_timeout_s:g}s",
        # This timeout counts as an answer 504 of the cluster; that of the stream would count nowhere.
        "retry_policy": {"num_retries": 0, "per_try_idle_timeout": f"{response_timeout_s:g}s"},
    }
    too_long = {"name": _LENGTH, "range_match": {"start": max_request_bytes + 1, "end": _MAX_INT64}}
    routes = [
        {"match": _invocations(too_long), "direct_response": {"status": 413}},
        {"match": _invocations({"name": _LENGTH, "present_match": True}), "route": to_model},
        {"match": _invocations(), "direct_response": {"status": 411}},
    ]
    health = {"pass_through_mode": True, "headers": [{"name": ":path", "string_match": {"exact": "/ping"}}]}
    listeners = [
        _listener(
            "invocations",
            (address, port),
            [ping, *routes],
            [_filter("health_check", "HealthCheck", health)],
            request_timeout=f"{response_timeout_s:g}s",
            # Longer than the timeout of the route, which must come first; it ends what nobody reads.
            stream_idle_timeout=f"{response_timeout_s + 10:g}s",
        ),
        _listener("metrics", (address, metrics_port), [_admin("/stats/prometheus"), _admin("/ready")]),
        _listener(
            "drain",
            (address, drain_port),
            [
                {
                    "match": {"path": "/drain"},
                    "route": {"cluster": "admin", "prefix_rewrite": "/healthcheck/fail"},
                }
            ],
            [_filter("lua", "Lua", {"default_source_code": {"inline_string": _TO_POST}})],
        ),
    ]
    return {
        "admin": {"address": _socket("127.0.0.1", admin_port)},
        "static_resources": {
            "listeners": listeners,
            "clusters": [
                _cluster("model", model_port, max_concurrency),
                _cluster("ping", model_port),
                _cluster("admin", admin_port),
            ],
        },
        "stats_config": {
            "stats_matcher": {
                "inclusion_list": {"patterns": [{"safe_regex": {"regex": name}} for name in _METRICS]}
            },
            "histogram_bucket_settings": [
                {"match": {"exact": "cluster.model.upstream_rq_time"}, "buckets": sorted(time_buckets_ms)}
            ],
        },
        "overload_manager": {
            "resource_monitors": [
                {
                    "name": "envoy.resource_monitors.global_downstream_max_connections",
                    "typed_config": {
                        "@type": f"{_EXTENSIONS}.resource_monitors.downstream_connections.v3.DownstreamConnectionsConfig",
                        "max_active_downstream_connections": max(10_000, 4 * max_concurrency),
                    },
                }
            ]
        },
    }


def _invocations(*headers: dict[str, Any]) -> dict[str, Any]:
    return {"path_separated_prefix": "/invocations", "headers": [_method("POST"), *headers]}


def _method(name: str) -> dict[str, Any]:
    return {"name": ":method", "string_match": {"exact": name}}


def _admin(path: str) -> dict[str, Any]:
    return {"match": {"path": path, "headers": [_method("GET")]}, "route": {"cluster": "admin"}}


def _filter(name: str, message: str, fields: dict[str, Any]) -> dict[str, Any]:
    return {
        "name": f"envoy.filters.http.{name}",
        "typed_config": {"@type": f"{_EXTENSIONS}.filters.http.{name}.v3.{message}", **fields},
    }


def _listener(
    name: str,
    address: tuple[str, int],
    routes: list[dict[str, Any]],
    filters: Sequence[dict[str, Any]] = (),
    **fields: Any,
) -> dict[str, Any]:
    manager = {
        "@type": f"{_EXTENSIONS}.filters.network.http_connection_manager.v3.HttpConnectionManager",
        "stat_prefix": name,
        "route_config": {"virtual_hosts": [{"name": name, "domains": ["*"], "routes": routes}]},
        "http_filters": [*filters, _filter("router", "Router", {"suppress_envoy_headers": True})],
        # Envoy obeys headers such as x-envoy-upstream-rq-timeout-ms of clients in private networks: of all clients
        # here. Nobody is internal: with an empty list, private networks were.
        "use_remote_address": True,
        "internal_address_config": {"cidr_ranges": [{"address_prefix": "255.255.255.255", "prefix_len": 32}]},
        "generate_request_id": False,
        "server_header_transformation": "PASS_THROUGH",
        # Or /invocations/../else would reach the model as /else.
        "normalize_path": True,
        "path_with_escaped_slashes_action": "REJECT_REQUEST",
        **fields,
    }
    return {
        "name": name,
        "address": _socket(*address),
        "per_connection_buffer_limit_bytes": _HELD_BYTES,
        # Metrics and the end must be heard when clients have taken all connections.
        "ignore_global_conn_limit": name != "invocations",
        "filter_chains": [
            {"filters": [{"name": "envoy.filters.network.http_connection_manager", "typed_config": manager}]}
        ],
    }


def _cluster(name: str, port: int, max_concurrency: int = 1024) -> dict[str, Any]:
    options = "envoy.extensions.upstreams.http.v3.HttpProtocolOptions"
    bounds = ("max_connections", "max_pending_requests", "max_requests")
    return {
        "name": name,
        "type": "STATIC",
        "connect_timeout": "1s",
        "per_connection_buffer_limit_bytes": _HELD_BYTES,
        "circuit_breakers": {"thresholds": [dict.fromkeys(bounds, max_concurrency)]},
        "load_assignment": {
            "cluster_name": name,
            "endpoints": [{"lb_endpoints": [{"endpoint": {"address": _socket("127.0.0.1", port)}}]}],
        },
        "typed_extension_protocol_options": {
            options: {
                "@type": f"type.googleapis.com/{options}",
                "explicit_http_config": {"http_protocol_options": {}},
                # A server that ends an idle connection while a request is on its way costs a 503, and we do not retry.
                # Over loopback a new connection costs next to nothing.
                "common_http_protocol_options": {"max_requests_per_connection": 1},
            }
        },
    }


def _socket(address: str, port: int) -> dict[str, Any]:
    return {"socket_address": {"address": address, "port_value": port}}
