"""What every_key.py puts together: a valid value for each key, of each kind of workload and of the environment."""

from typing import Any

Config = dict[str, Any]

ACCOUNT = "763104351884"
IMAGE = {"account": ACCOUNT, "repository": "pytorch-inference", "tag": "2.6.0-gpu"}
IMAGES = {
    "cuda": IMAGE,
    "neuron": IMAGE,
    "cpu_x86_64": IMAGE,
    "cpu_arm64": {**IMAGE, "repository": "pytorch-inference-arm64"},
}
OWN_IMAGE = {"account": "111122223333", "repository": "handler", "tag": "1.4"}
TRAINING_IMAGES = {
    "cuda": {"account": ACCOUNT, "repository": "pytorch-training", "tag": "2.10.0-gpu"},
    "neuron": {"framework": "pytorch", "version": "2.9"},
    "cpu_x86_64": {"account": "111122223333", "repository": "trainer", "tag": "1.4"},
    "cpu_arm64": {"account": "111122223333", "repository": "trainer", "tag": "1.4-arm64"},
}
FAMILIES = {"allowed_families": ["g5", "g6", "c6i", "m5", "p4d", "inf2"], "denied_families": ["p3"]}

POLICY: Config = {
    "production": True,
    "account": "111122223333",
    "region": "us-east-1",
    "budget_usd_per_month": 1e9,
    "budget_alerts": False,
    "composite_alarms": True,
    "savings_plan": {"discount_percent": 20},
    "margin": 0.05,
    "allow_burstable": True,
    "allow_spot": True,
    "allow_notebooks": True,
    "min_endpoint_instances": 2,
    "max_endpoint_instances": 1000,
    "min_availability_zones": 2,
    "allowed_families": ["g5", "g6", "c6i", "m5", "p4d", "inf2", "t3"],
    "denied_families": ["p2"],
    "min_lock_saving_percent": 5,
    "removal": "destroy",
    "log_retention_days": 30,
    "nag_packs": ["aws-solutions", "hipaa-security"],
    "review_fail_on": ["replace-stateful", "cost-increase>10%"],
    "review_approvals": [{"of": "replace-stateful", "by": ["ada", "company/data-owners"]}],
    "review_waivers": [
        {
            "of": "cost-increase>10%",
            "subject": "prod",
            "reason": "twice the traffic from the launch on",
            "until": "2027-01-31",
        }
    ],
    "required_tags": ["cost-center"],
    "permissions_boundary_arn": "arn:aws:iam::111122223333:policy/company/boundary",
    "role_path": "/company/ml/",
}
NEW_NETWORK: Config = {
    "mode": "new",
    "cidr": "10.1.0.0/20",
    "availability_zones": 3,
    "availability_zone_ids": ["use1-az1", "use1-az4", "use1-az6"],
    "interface_endpoints": ["sagemaker.runtime", "execute-api", "ecr.api", "bedrock-runtime"],
    "s3_prefix_list_id": "pl-0123abcd",
}
EXISTING_NETWORK: Config = {
    "mode": "existing",
    "vpc_id": "vpc-0123456789abcdef0",
    "subnet_ids": ["subnet-0123456789abcdef0", "subnet-0123456789abcdef1"],
}

EXISTING: Config = {
    "data_key_arn": "arn:aws:kms:us-east-1:444455556666:key/0a1b2c3d-0a1b-0a1b-0a1b-0a1b2c3d4e5f",
    "operations_key_arn": "arn:aws:kms:us-east-1:111122223333:key/mrk-0123456789abcdef0123456789abcdef",
    "artifact_bucket": "company-models",
    "access_log_bucket": "company-logs",
    "alarm_topic_arn": "arn:aws:sns:us-east-1:111122223333:company-alarms",
    "endpoint_security_group_id": "sg-0123456789abcdef0",
    "training_security_group_id": "sg-0123456789abcdef1",
}
MLFLOW_SERVER = "arn:aws:sagemaker:us-east-1:111122223333:mlflow-tracking-server/company"
PLACE: Config = {
    "account": "222233334444",
    "region": "eu-west-1",
    "network": EXISTING_NETWORK,
    "existing": {"artifact_bucket": "company-models-eu"},
}
NAMES: Config = {
    "stack": "Company-{environment}-{platform}-{workload}",
    "workload": "company-{workload}-{environment}",
    "bucket": "company-{platform}-{environment}-{purpose}-{account}-{region}",
}
LOOKS = {"period_s": 300, "datapoints_to_alarm": 2, "evaluation_periods": 3}
ALARMS: Config = {
    "server_error_rate": {"above_percent": 2, **LOOKS},
    "model_error_rate": {"off_because": "the caller counts them"},
    "client_error_rate": {"above_percent": 10},
    "model_latency_p95": {"above_ms": 20000, **LOOKS},
    "model_latency_p99": {"above_ms": 30000, "period_s": 900},
    "overhead_latency": {"off_because": "nobody acts on it"},
    "cpu_utilization": {"above_percent": 97, **LOOKS},
    "gpu_utilization": {"off_because": "it is full on purpose"},
    "gpu_memory_utilization": {"off_because": "it is full on purpose"},
    "memory_utilization": {"above_percent": 95},
    "disk_utilization": {"above_percent": 90},
}
LOOKUP_NETWORK: Config = {
    "mode": "lookup",
    "vpc_tags": {"Name": "ml", "aws:cloudformation:stack-name": "network"},
    "subnet_tag": {"tier": "ml"},
}
PROXY: Config = {"url": "http://proxy.example.com:3128", "bypass": [".example.com", "10.0.0.0/8"]}
BOOTSTRAP: Config = {
    "qualifier": "company1",
    "deploy_role_arn": "arn:aws:iam::111122223333:role/company/deploy",
    "cloudformation_execution_role_arn": "arn:aws:iam::111122223333:role/company/execute",
    "file_asset_publishing_role_arn": "arn:aws:iam::111122223333:role/company/publish",
    "lookup_role_arn": "arn:aws:iam::111122223333:role/company/look-up",
    "file_assets_bucket_name": "company-cdk-assets",
    "bucket_prefix": "ml/",
}

PIPELINE: Config = {
    "before": [
        {
            "name": "features",
            "images": {
                "cpu_x86_64": {"account": "111122223333", "repository": "features", "tag": "1.4"},
                "cpu_arm64": {"account": "111122223333", "repository": "features", "tag": "1.4-arm64"},
            },
            "artifact": {"key": "models/features/model.tar.gz", "compression": "gzip", "size_gib": 0.1},
            "environment": {"LOG_LEVEL": "info"},
            "processing_ms": 3,
            "memory_gib": 0.5,
        }
    ],
    "after": [
        {
            "name": "labels",
            "image": {"framework": "scikit-learn", "version": "1.9-0"},
            "processing_ms": 0.5,
            "memory_gib": 0.25,
        }
    ],
}
PACKAGE: Config = {
    "group": "churn",
    "version": 3,
    "hardware": "cpu_x86_64",
    "image_repository": {"account": "111122223333", "repository": "churn"},
    "artifact": {
        "bucket": "company-registry",
        "key": "churn/",
        "key_arn": "arn:aws:kms:us-east-1:444455556666:key/0a1b2c3d-0a1b-0a1b-0a1b-0a1b2c3d4e5f",
    },
}
PACKAGE_OF_OTHERS: Config = {
    "arn": "arn:aws:sagemaker:us-east-1:444455556666:model-package/churn/3",
    **{key: value for key, value in PACKAGE.items() if key not in ("group", "version")},
}

ENDPOINT: Config = {
    "kind": "real-time-endpoint",
    "routing": "random",
    "detailed_metrics": False,
    "description": "Sorts what arrives",
    "tags": {"team": "search"},
    "engine": "optimized-runtime",
    "container": {
        "images": {
            **IMAGES,
            "cuda": {**IMAGE, "inference_ami_version": "al2-ami-sagemaker-inference-gpu-3-1"},
            "neuron": {**IMAGE, "inference_ami_version": "al2-ami-sagemaker-inference-neuron-2"},
        },
        "artifact": {"key": "models/a/model.tar.gz", "compression": "gzip", "size_gib": 1},
        "environment": {"LOG_LEVEL": "info"},
        "network_isolation": True,
    },
    "traffic": {
        "peak_requests_per_second": 4,
        "average_requests_per_second": 1,
        "active_hours_per_day": 12,
    },
    "latency": {"max_p95_ms": 28000, "max_p99_ms": 29000, "max_wait_minutes": 30},
    "min_availability_percent": 99.5,
    "access": {
        "callers": ["arn:aws:iam::111122223333:role/company/app", "arn:aws:iam::444455556666:role/partner"],
        "api_gateway": {"callers": ["arn:aws:iam::111122223333:role/company/till"]},
    },
    "objective": "least-latency",
    "margin": 0.1,
    "max_usd_per_month": 1e6,
    "scaling": {
        "min_instances": 2,
        "max_instances": 500,
        "schedules": {
            "nights": {
                "weekdays": ["MON", "FRI"],
                "at": "20:00",
                "time_zone": "Europe/Berlin",
                "min_instances": 3,
                "max_instances": 400,
            },
            "mornings": {"at": "06:30", "time_zone": "Europe/Berlin"},
        },
        "track": {
            "invocations": {"target": 40},
            "waiting": {
                "target": 3,
                "metrics": {
                    "queue": {
                        "namespace": "Company/Chat",
                        "name": "Waiting",
                        "statistic": "Maximum",
                        "dimensions": {"Team": "search"},
                    },
                    "busy": {
                        "namespace": "AWS/SageMaker",
                        "name": "ConcurrentRequestsPerModel",
                        "statistic": "Maximum",
                    },
                },
                "expression": "queue / busy",
            },
        },
        "steps": {
            "burst": {"metric": "latency", "above": 20000, "add": 1},
            "crowd": {
                "metrics": {
                    "waiting": {"namespace": "Company/Chat", "name": "Waiting"},
                    "refused": {"namespace": "Company/Chat", "name": "Refused"},
                },
                "expression": "waiting + refused",
                "above": 100,
                "add": 2,
            },
        },
        "headroom": 0.2,
        "scale_out_cooldown_s": 30,
        "scale_in_cooldown_s": 200,
    },
    "instance_pools": {"max_types": 2, "provision_timeout_s": 600},
    "rollout": {"strategy": "canary", "share_percent": 20, "wait_interval_s": 300, "termination_wait_s": 60},
    "data_capture": {
        "sampling_percent": 10,
        "capture": ["output"],
        "json_content_types": ["application/json"],
        "csv_content_types": ["text/csv"],
    },
    "alarms": ALARMS,
    "instances": FAMILIES,
}
BY_STEPS: Config = {
    **ENDPOINT["scaling"],
    "track": {},
    "steps": {
        "crowd": ENDPOINT["scaling"]["steps"]["crowd"],
        "quiet": {"metric": "invocations", "below": 2, "remove": 1},
    },
}
OF_REAL_TIME = (
    "scaling",
    "instance_pools",
    "rollout",
    "data_capture",
    "alarms",
    "routing",
    "detailed_metrics",
)
IN_ANY_MODE: Config = {
    **{key: value for key, value in ENDPOINT.items() if key not in OF_REAL_TIME},
    "kind": "endpoint",
    "mode": "auto",
    "similar_models": 3,
}
CLUSTERS: Config = {
    "main": {
        "type": "eks",
        "name": "company-ml",
        "version": "1.35",
        "nodes": "karpenter",
        "node_role": "company-ml-node",
        "discovery_tags": {"karpenter.sh/discovery": "company"},
        "ami": "al2023@v20260917",
        "has": [
            "keda",
            "prometheus",
            "kube-state-metrics",
            "dcgm-exporter",
            "pod-identity-agent",
            "nvidia-device-plugin",
            "neuron-device-plugin",
            "network-policies",
            "interruption-queue",
            "kueue",
        ],
        "daemonsets": {"cpu": "300m", "memory": "800Mi", "pods": 9},
        "prometheus": {
            "url": "http://prometheus-operated.metrics.svc:9090",
            "namespace": "metrics",
            "labels": {"release": "prometheus"},
        },
        "namespace": "models",
        "local_queue": "research",
        "pod_security": "baseline",
        "proxy_image": "111122223333.dkr.ecr.us-east-1.amazonaws.com/envoy:v1.36.2",
    },
    "web": {
        "type": "ecs",
        "name": "company-web",
        "capacity": "managed-instances",
        "certificate_arn": "arn:aws:acm:us-east-1:111122223333:certificate/12345678-1234-1234-1234-123456789012",
        "caller_security_groups": ["sg-0123456789abcdef0"],
        "container_insights": True,
        "proxy_image": "111122223333.dkr.ecr.us-east-1.amazonaws.com/envoy:v1.36.2",
    },
    "groups": {
        "type": "eks",
        "name": "company-groups",
        "version": "1.35",
        "nodes": "node-groups",
        "node_role": "company-groups-node",
        "release_version": "1.35.2-20260917",
        "subnet_ids": ["subnet-0123456789abcdef0", "subnet-0123456789abcdef1"],
        "has": ["cluster-autoscaler"],
        "daemonsets": {"cpu": "300m", "memory": "800Mi"},
        "proxy_image": "111122223333.dkr.ecr.us-east-1.amazonaws.com/envoy:v1.36.2",
    },
    "jobs": {"type": "batch"},
}
IN_CLUSTER: Config = {
    **{
        key: value
        for key, value in ENDPOINT.items()
        if key
        not in (
            "routing",
            "detailed_metrics",
            "access",
            "data_capture",
            "instance_pools",
            "rollout",
            "alarms",
        )
    },
    "target": "main",
    "scaling": {"max_instances": 20, "track": {"invocations": {}}},
}
ON_SPOT: Config = {"spot": {"enabled": True}}
QUEUE: Config = {
    **{
        key: ENDPOINT[key]
        for key in (
            "description",
            "tags",
            "engine",
            "container",
            "traffic",
            "access",
            "objective",
            "margin",
            "instances",
        )
    },
    "kind": "asynchronous-endpoint",
    "routing": "random",
    "detailed_metrics": False,
    "latency": {"max_wait_minutes": 90},
    "max_usd_per_month": 1e6,
    "scaling": {
        **{key: value for key, value in ENDPOINT["scaling"].items() if key not in ("track", "steps")},
        "min_instances": 0,
        "schedules": {
            "nights": {
                "weekdays": ["MON", "FRI"],
                "at": "20:00",
                "time_zone": "Europe/Berlin",
                "min_instances": 1,
                "max_instances": 400,
            },
            "mornings": {"at": "06:30", "time_zone": "Europe/Berlin"},
        },
    },
    "instance_pools": {"max_types": 2, "provision_timeout_s": 600},
    "notifications": {
        "success_topic_arn": "arn:aws:sns:us-east-1:111122223333:answers",
        "error_topic_arn": "arn:aws:sns:us-east-1:111122223333:failures",
    },
    "alarms": {
        "age_of_oldest_request": {"above_minutes": 60, **LOOKS},
        "backlog_without_capacity": {
            "off_because": "nobody acts on it",
        },
        "invocation_failures": {"above_percent": 3, **LOOKS},
        "expired_requests": {"above_count": 3, **LOOKS},
        "response_upload_failures": {"above_count": 3},
        "notification_failures": {"above_count": 3},
        "memory_utilization": {"above_percent": 95, **LOOKS},
        "disk_utilization": {"off_because": "nobody acts on it"},
    },
}
QUEUE_IN_CLUSTER: Config = {
    **{
        key: value
        for key, value in QUEUE.items()
        if key not in ("routing", "detailed_metrics", "instance_pools")
    },
    "target": "main",
    "access": {"callers": QUEUE["access"]["callers"]},
    "scaling": {key: value for key, value in QUEUE["scaling"].items() if key != "schedules"},
    "alarms": {"age_of_oldest_request": QUEUE["alarms"]["age_of_oldest_request"]},
}
SERVERLESS: Config = {
    **{
        key: ENDPOINT[key]
        for key in ("description", "tags", "engine", "traffic", "access", "margin", "max_usd_per_month")
    },
    "kind": "serverless-endpoint",
    "container": {
        **ENDPOINT["container"],
        "images": {"cpu_x86_64": IMAGE},
        "network_isolation": False,
    },
    "latency": {"max_p95_ms": 5000, "max_p99_ms": 20000},
    "min_availability_percent": 99.5,
    "memory_mb": 6144,
    "max_concurrency": 190,
    "provisioned_concurrency": 4,
    "scaling": {
        "min_provisioned_concurrency": 2,
        "max_provisioned_concurrency": 100,
        "schedules": {
            "nights": {
                "weekdays": ["MON", "FRI"],
                "at": "20:00",
                "time_zone": "Europe/Berlin",
                "min_provisioned_concurrency": 1,
                "max_provisioned_concurrency": 2,
            },
            "mornings": {"at": "06:30", "time_zone": "Europe/Berlin"},
        },
        "headroom": 0.2,
        "scale_out_cooldown_s": 30,
        "scale_in_cooldown_s": 200,
    },
    "alarms": {
        "server_error_rate": {"above_percent": 2, **LOOKS},
        "client_error_rate": {"off_because": "the caller counts them"},
        "model_latency_p95": {"above_ms": 20000, **LOOKS},
        "model_latency_p99": {"above_ms": 30000, "period_s": 900},
        "overhead_latency": {"off_because": "nobody acts on it"},
        "model_setup_time": {"above_ms": 50000, **LOOKS},
        "memory_utilization": {"above_percent": 95, **LOOKS},
        "concurrency_utilization": {"off_because": "it is full on purpose"},
        "provisioned_concurrency_spillover": LOOKS,
    },
}
FUNCTION: Config = {
    **{key: value for key, value in SERVERLESS.items() if key not in ("access", "container", "alarms")},
    "kind": "lambda-function",
    "min_availability_percent": 99.5,
    "container": {
        "images": {"cpu_x86_64": OWN_IMAGE, "cpu_arm64": OWN_IMAGE},
        "artifact": {**ENDPOINT["container"]["artifact"], "size_gib": 1},
        "environment": {"LOG_LEVEL": "info"},
        "network_isolation": False,
    },
    "memory_mb": 10_240,
    "rollout": {"strategy": "linear", "share_percent": 20, "wait_interval_s": 3600},
    "alarms": {
        "error_rate": {"above_percent": 2, **LOOKS},
        "throttles": {"above_percent": 1},
        "duration_p95": {"above_ms": 20000, **LOOKS},
        "duration_p99": {"period_s": 900},
        "concurrency_utilization": {"above_percent": 95, **LOOKS},
        "provisioned_concurrency_spillover": LOOKS,
    },
}
COMPONENT: Config = {
    **{key: ENDPOINT[key] for key in ("engine", "container", "margin")},
    "traffic": {"peak_requests_per_second": 4, "average_requests_per_second": 1},
    "latency": {"max_p95_ms": 30000, "max_p99_ms": 50000},
    "min_availability_percent": 99.99,
    "scaling": {
        "min_copies": 2,
        "max_copies": 40,
        "headroom": 0.2,
        "scale_out_cooldown_s": 30,
        "scale_in_cooldown_s": 200,
    },
    "alarms": {
        "server_error_rate": {"above_percent": 2, **LOOKS},
        "model_error_rate": {"above_percent": 2, **LOOKS},
        "client_error_rate": {"off_because": "the caller counts them"},
        "model_latency_p95": {"above_ms": 40000, **LOOKS},
        "model_latency_p99": {"off_because": "nobody acts on it"},
        "overhead_latency": {"off_because": "nobody acts on it"},
    },
}
SLEEPING: Config = {"scaling": {"min_copies": 0, "max_copies": 3, "may_fail_while_cold": True}}
COMPONENTS: Config = {
    **{key: ENDPOINT[key] for key in ("description", "tags", "objective", "max_usd_per_month", "instances")},
    "kind": "inference-component-endpoint",
    "routing": "random",
    "detailed_metrics": False,
    "scaling": {"min_instances": 2, "max_instances": 500},
    "rollout": {"share_percent": 25, "wait_interval_s": 300},
    "alarms": {
        "memory_utilization": {"above_percent": 95, **LOOKS},
        "disk_utilization": {"off_because": "nobody acts on it"},
    },
}
SEVERAL: Config = {
    **{
        key: value
        for key, value in ENDPOINT.items()
        if key not in ("instance_pools", "data_capture", "routing")
    },
    "kind": "multi-model-endpoint",
    "detailed_metrics": False,
    "models": {"count": 500, "zipf_exponent": 1.1, "workers_per_model": 1, "cache": True},
    "container": {
        **ENDPOINT["container"],
        "images": {
            "cuda": {
                **IMAGE,
                "repository": "sagemaker-tritonserver",
                "inference_ami_version": "al2-ami-sagemaker-inference-gpu-3-1",
            },
            "cpu_x86_64": IMAGE,
            "cpu_arm64": IMAGES["cpu_arm64"],
        },
        "artifact": {"key": "models/all/", "compression": "gzip", "size_gib": 0.1},
    },
    "latency": {"max_p95_ms": 28000, "max_p99_ms": 29000, "max_cold_ms": 29000},
    "min_availability_percent": 99.5,
    "alarms": {
        **ALARMS,
        "model_loading_wait_time": {"above_ms": 40000, **LOOKS},
        "model_cache_hit": {"below_percent": 90, **LOOKS},
    },
}
HOT: Config = {"count": 500, "hot_count": 20, "hot_share_percent": 90}
BATCHING: Config = {"max_batch_size": 8, "max_delay_ms": 5}
PINNED: Config = {
    "instances": {"instance_type": "ml.g5.xlarge", "allowed_families": ["g5"], "denied_families": ["g6"]},
    "capacity_reservation_arn": "arn:aws:sagemaker:us-east-1:111122223333:ml-reservation/abc",
}
USERS = {"peak_concurrent_users": 3, "average_concurrent_users": 1.5, "active_hours_per_day": 10}
TOKENS_IN = {"input_tokens": 128, "payload_mb": 0.5, "response_mb": 0.1}
TOKENS = {**TOKENS_IN, "output_tokens": 16}

#: For each architecture, a model and the request that it is asked in; of some, another way to describe them.
MODELS: dict[str, tuple[Config, Config]] = {
    "encoder": (
        {
            "architecture": "encoder",
            "parameters_millions": 110,
            "precision": "fp16",
            "framework": "pytorch",
            "layers": 12,
            "hidden_size": 768,
            "kv_hidden_size": 768,
            "intermediate_size": 3072,
            "vocabulary_size": 30522,
            "active_parameters_millions": 100,
            "embedding_parameters_millions": 24,
        },
        TOKENS_IN,
    ),
    "images": (
        {
            "architecture": "encoder",
            "parameters_millions": 86,
            "forward_gflops_per_image": 35,
            "activations_millions_per_image": 20,
        },
        {"images": 1},
    ),
    "images by their size": (
        {"architecture": "encoder", "parameters_millions": 86, "image_pixels": 150528},
        {"images": 1},
    ),
    "decoder": (
        {
            "architecture": "decoder",
            "parameters_millions": 3000,
            "precision": "bf16",
            "max_context_tokens": 8192,
        },
        TOKENS,
    ),
    "encoder-decoder": ({"architecture": "encoder-decoder", "parameters_millions": 220}, TOKENS),
    "sound": ({"architecture": "encoder-decoder", "parameters_millions": 220}, {"audio_seconds": 45}),
    "cnn": (
        {
            "architecture": "cnn",
            "parameters_millions": 25,
            "precision": "fp16",
            "framework": "pytorch",
            "layers": 50,
            "forward_gflops_per_image": 8.2,
            "activations_millions_per_image": 11,
        },
        {"images": 2},
    ),
    "cnn by its size": (
        {"architecture": "cnn", "parameters_millions": 25, "image_pixels": 409600},
        {"images": 2},
    ),
    "diffusion by its size": (
        {"architecture": "diffusion", "parameters_millions": 1000, "image_pixels": 262144},
        {"images": 1},
    ),
    "diffusion": (
        {
            "architecture": "diffusion",
            "parameters_millions": 1000,
            "precision": "fp16",
            "framework": "pytorch",
            "layers": 60,
            "active_parameters_millions": 860,
            "forward_gflops_per_image": 800,
            "activations_millions_per_image": 500,
            "denoising_steps": 4,
            "guidance": False,
        },
        {"images": 1},
    ),
    "rnn": (
        {
            "architecture": "rnn",
            "parameters_millions": 50,
            "precision": "fp32",
            "framework": "pytorch",
            "layers": 10,
            "hidden_size": 1024,
            "time_steps": 500,
            "forward_gflops_per_clip": 50,
        },
        {"clips": 1},
    ),
    "recurrent time-series": (
        {
            "architecture": "time-series",
            "parameters_millions": 0.1,
            "precision": "fp32",
            "framework": "pytorch",
            "context_length": 48,
            "prediction_length": 24,
            "samples": 50,
            "layers": 2,
            "hidden_size": 40,
        },
        {"series": 10},
    ),
    "transformer time-series": (
        {
            "architecture": "time-series",
            "parameters_millions": 1,
            "context_length": 512,
            "prediction_length": 96,
            "patch_length": 16,
            "forward_gflops_per_series": 0.1,
        },
        {"series": 100},
    ),
    "recommender": (
        {
            "architecture": "recommender",
            "parameters_millions": 540,
            "precision": "fp32",
            "framework": "pytorch",
            "embedding_parameters_millions": 538,
            "forward_gflops_per_row": 0.01,
        },
        {"rows": 100},
    ),
    "gradient-boosting": (
        {
            "architecture": "gradient-boosting",
            "features": 50,
            "trees": 300,
            "tree_depth": 6,
            "framework": "xgboost",
        },
        {"rows": 10},
    ),
    "linear": ({"architecture": "linear", "features": 50, "framework": "sklearn"}, {"rows": 10}),
    "preset": (
        {
            "preset": "bert-base",
            "architecture": "encoder",
            "parameters_millions": 110,
            "active_parameters_millions": 86,
            "embedding_parameters_millions": 23,
            "precision": "fp16",
            "framework": "pytorch",
            "layers": 12,
            "hidden_size": 768,
            "kv_hidden_size": 768,
            "intermediate_size": 3072,
            "vocabulary_size": 30522,
            "max_context_tokens": 512,
        },
        TOKENS_IN,
    ),
    "preset of clips": ({"preset": "rnn-t", "time_steps": 320}, {"clips": 1}),
    "preset that forecasts": (
        {"preset": "chronos-bolt-small", "context_length": 512, "prediction_length": 64},
        {"series": 10},
    ),
    "preset of images": (
        {"preset": "resnet-50", "forward_gflops_per_image": 8.2, "activations_millions_per_image": 11},
        {"images": 1},
    ),
    "preset of larger images": ({"preset": "yolov8n", "image_pixels": 1638400}, {"images": 1}),
    "preset that draws": (
        {"preset": "stable-diffusion-1.5", "denoising_steps": 4, "guidance": False},
        {"images": 1},
    ),
}
TRANSFORM: Config = {
    "kind": "batch-transform",
    "description": "Scores what lies there",
    "tags": {"team": "search"},
    "engine": "optimized-runtime",
    "container": {
        "images": IMAGES,
        "artifact": {"key": "models/a/model.tar.gz", "compression": "gzip", "size_gib": 1},
        "environment": {"LOG_LEVEL": "info"},
        "network_isolation": True,
    },
    "data": {
        "prefix": "rows/in/",
        "rows_per_run": 10_000,
        "kb_per_row": 2,
        "objects": 40,
        "content_type": "text/csv",
        "split": "line",
        "compression": "gzip",
    },
    "output_prefix": "rows/out",
    "accept": "text/csv",
    "deadline_hours": 24,
    "max_instances": 30,
    "strategy": "single-record",
    "max_payload_mb": 4,
    "max_concurrent_transforms": 2,
    "invocation_timeout_s": 3600,
    "retries": 1,
    "join": "input",
    "input_filter": "$[1:]",
    "output_filter": "$[0,-1]",
    "objective": "least-latency",
    "margin": 0.1,
    "max_usd_per_run": 1e6,
    "max_usd_per_month": 1e8,
    "schedule": {"every": "day", "at": "02:00", "time_zone": "Europe/Berlin", "enabled": True},
    "instances": FAMILIES,
}
TRANSFORMED_IN_CLUSTER: Config = {
    **{
        key: value for key, value in TRANSFORM.items() if key not in ("join", "input_filter", "output_filter")
    },
    "target": "main",
}
PINNED_TRANSFORM: Config = {
    "runs_per_month": 2,
    "starts_on": {"object": "rows/_SUCCESS", "alarm": "drift"},
    "strategy": "multi-record",
    "instances": {"instance_type": "ml.g5.xlarge", "allowed_families": ["g5"], "denied_families": ["g6"]},
}
TRAINING: Config = {
    "kind": "training-job",
    "description": "Learns what arrived",
    "tags": {"team": "search"},
    "container": {
        "images": TRAINING_IMAGES,
        "code": {"prefix": "code/train/", "command": ["bash", "launch.sh"]},
        "environment": {"LOG_LEVEL": "info"},
        "metrics": {"train_loss": "train_loss=([0-9.]+)"},
        "hyperparameters": {"epochs": 3, "rate": 0.1, "shuffle": True, "name": "a"},
        "network_isolation": True,
    },
    "dataset": {"prefix": "datasets/a/", "size_gib": 1, "epochs": 2},
    "channels": {"validation": "datasets/b/"},
    "method": "auto",
    "optimizer": "adamw",
    "batch_size_per_accelerator": 2,
    "deadline_hours": 100,
    "min_accelerators": 1,
    "max_instances": 4,
    "encrypt_inter_container_traffic": False,
    "spot": {"enabled": True, "max_wait_hours": 50, "on_demand_fallback": True},
    "checkpoint": {"interval_minutes": 15},
    "margin": 0.1,
    "max_usd_per_run": 1e6,
    "report_success": True,
    "schedule": {
        "every": "week",
        "weekday": "SAT",
        "at": "02:00",
        "time_zone": "Europe/Berlin",
        "enabled": True,
    },
    "instances": FAMILIES,
}
#: By AWS Batch.
TRAINED_IN_CLUSTER: Config = {
    **{
        key: value
        for key, value in TRAINING.items()
        if key
        not in ("channels", "max_instances", "encrypt_inter_container_traffic", "optimizer", "schedule")
    },
    "target": "jobs",
    "model": {"architecture": "linear", "features": 16},
    "container": {key: value for key, value in TRAINING["container"].items() if key != "metrics"},
    "dataset": {**TRAINING["dataset"], "examples": 1000},
    "method": "full",
    "starts_on": {"object": "rows/_SUCCESS"},
}
#: By a CronJob.
TRAINED_ON_EKS: Config = {
    **{key: value for key, value in TRAINED_IN_CLUSTER.items() if key not in ("starts_on", "report_success")},
    "target": "main",
    "spot": {key: value for key, value in TRAINING["spot"].items() if key != "max_wait_hours"},
    "schedule": TRAINING["schedule"],
}
LUSTRE: Config = {
    "type": "fsx-lustre",
    "id": "fs-0123456789abcdef0",
    "directory": "/fsx/plants",
    "subnet_id": "subnet-0123456789abcdef0",
    "security_group_id": "sg-0123456789abcdef0",
}
EFS: Config = {
    "type": "efs",
    "id": "fs-01234567",
    "directory": "/",
    "security_group_id": "sg-0123456789abcdef1",
}
SEARCH: Config = {
    "strategy": "bayesian",
    "objective": {"metric": "val_loss", "goal": "minimize", "regex": "val_loss=([0-9.]+)"},
    "ranges": {
        "learning_rate": {"type": "continuous", "min": 1e-5, "max": 0.1, "scaling": "logarithmic"},
        "layers": {"type": "integer", "min": 2, "max": 8, "scaling": "linear"},
        "shape": {"type": "categorical", "values": ["wide", 3, 0.5, True]},
    },
    "max_jobs": 6,
    "max_parallel_jobs": 3,
    "early_stopping": True,
    "warm_start": {"parents": ["demo-dev-it-0a1b2c3d"], "type": "identical-data-and-algorithm"},
}

SCRIPT: Config = {
    "kind": "processing-job",
    "description": "Cleans what arrived",
    "tags": {"team": "search"},
    "container": {
        "images": {"cpu_x86_64": OWN_IMAGE},
        "code": {"prefix": "code/clean/", "command": ["python", "clean.py"]},
        "environment": {"LOG_LEVEL": "info"},
        "network_isolation": True,
    },
    "inputs": {
        "raw": {"prefix": "raw/today/", "mode": "file", "distribution": "sharded"},
        "rules": {"prefix": "raw-rules", "mode": "pipe"},
    },
    "outputs": {"clean": {"prefix": "clean/today", "upload": "continuous"}},
    "vcpus": 4,
    "memory_gib": 8,
    "volume_gib": 100,
    "instance_count": 2,
    "deadline_hours": 4,
    "expected_hours": 1.5,
    "max_usd_per_run": 1e6,
    "schedule": {
        "every": "week",
        "weekday": "SAT",
        "at": "02:00",
        "time_zone": "Europe/Berlin",
        "enabled": True,
    },
    "instances": FAMILIES,
}
NOTEBOOK: Config = {
    "kind": "notebook",
    "description": "Looks at what arrived",
    "tags": {"team": "search"},
    "vcpus": 4,
    "memory_gib": 16,
    "accelerators": 1,
    "volume_gib": 50,
    "idle_shutdown_minutes": 30,
    "working_hours": {
        "weekdays": ["MON", "TUE", "WED"],
        "start": "08:15",
        "end": "17:45",
        "time_zone": "Europe/Berlin",
    },
    "hours_per_month": 40,
    "read_prefixes": ["datasets/a/"],
    "write_prefixes": ["notebooks/a/"],
    "instances": FAMILIES,
}
PINNED_SCRIPT: Config = {
    "schedule": None,
    "starts_on": {"object": "raw/today/_SUCCESS", "alarm": "drift of orders"},
    "runs_per_month": 2,
    "accelerators": 1,
    "container": {"images": {"cuda": OWN_IMAGE}},
    "instances": {"instance_type": "ml.g5.2xlarge", "allowed_families": ["g5"], "denied_families": ["g6"]},
}
COMPILES: Config = {
    "instance_count": 1,
    "schedule": {"every": "month", "day_of_month": 3},
    "inputs": {"model": {"prefix": "models/plain"}},
    "container": {"images": {"neuron": {"framework": "pytorch", "version": "2.9"}}},
    "neuron": {"target": "inf2", "cores": 2, "precision": "bf16", "shapes": {"input_ids": [1, 128]}},
}
#: It runs ``SCRIPT``, a training and ``JUDGE``.
PIPELINE_OF_JOBS: Config = {
    "kind": "pipeline",
    "description": "Learns what arrived, and judges it",
    "tags": {"team": "search"},
    "steps": {
        "clean": {"runs": "clean"},
        "train": {
            "runs": "train",
            "after": [],
            "passes_if": [{"metric": "train_loss", "at_least": 0, "at_most": 1.5}],
        },
        "judge": {
            "runs": "judge",
            "after": ["clean", "train"],
            "reads": {"model": "train"},
            "passes_if": [{"file": "report/evaluation.json", "metric": "regression.rmse", "at_most": 12.5}],
        },
        "register": {
            "registers": "train",
            "group": "demo-orders",
            "container": {"image": {"framework": "xgboost", "version": "3.2-0"}},
            "approval": "automatic",
        },
        **{
            f"register-{kind}".replace("_", "-"): {
                "registers": "train",
                "group": f"demo-{kind}".replace("_", "-"),
                "container": {"images": {kind: OWN_IMAGE}},
            }
            for kind in ("cuda", "neuron", "cpu_x86_64", "cpu_arm64")
        },
    },
    "deadline_hours": 160,
    "report_success": True,
    "schedule": {"every": "week", "weekday": "SAT", "at": "02:00", "time_zone": "UTC", "enabled": True},
}
JUDGE: Config = {
    **SCRIPT,
    "inputs": {"model": {"prefix": "output/train"}},
    "outputs": {"report": {"prefix": "reports"}},
}
BY_EXAMPLES = {"method": "full", "schedule": {"every": "month", "day_of_month": 3}}
WARM_POOL: Config = {
    "keep_alive_minutes": 30,
    "starts_on": {"object": "datasets/_SUCCESS"},
    "tensorboard": True,
    "spot": {"enabled": False},
}
TRAINING_PLAN: Config = {
    "training_plan_arn": "arn:aws:sagemaker:us-east-1:111122223333:training-plan/june",
    "spot": {"enabled": False},
}
PINNED_JOB = {
    "runs_per_month": 2,
    "starts_on": {"object": "datasets/_SUCCESS", "alarm": "drift"},
    "method": "lora",
    "lora_parameters_millions": 20,
    "instances": {"instance_type": "ml.g5.12xlarge", "allowed_families": ["g5"], "denied_families": ["p3"]},
}

#: All of a base.yaml but its workloads.
BASE: Config = {
    "platform": "demo",
    "tags": {"cost-center": "research"},
    "policy": POLICY,
    "bootstrap": BOOTSTRAP,
    "network": NEW_NETWORK,
    "storage": {
        "checkpoint_expiry_days": 7,
        "inference_data_expiry_days": 9,
        "noncurrent_version_expiry_days": 8,
    },
    "notifications": {
        "emails": ["team@example.com", "night@example.com"],
        "subscribed_elsewhere": True,
        "ops_items": True,
    },
}
