"""Small valid configurations that together state every key of every kind: what the fuzzer mutates, and tests load."""

from typing import Any

from sizewell.config.variants import ShadowVariant, Variant

Config = dict[str, Any]

_ACCOUNT = "763104351884"
_IMAGE = {"account": _ACCOUNT, "repository": "pytorch-inference", "tag": "2.6.0-gpu"}
_IMAGES = {
    "cuda": _IMAGE,
    "neuron": _IMAGE,
    "cpu_x86_64": _IMAGE,
    "cpu_arm64": {**_IMAGE, "repository": "pytorch-inference-arm64"},
}
_OWN_IMAGE = {"account": "111122223333", "repository": "handler", "tag": "1.4"}
_TRAINING_IMAGES = {
    "cuda": {"account": _ACCOUNT, "repository": "pytorch-training", "tag": "2.10.0-gpu"},
    "neuron": {"framework": "pytorch", "version": "2.9"},
    "cpu_x86_64": {"account": "111122223333", "repository": "trainer", "tag": "1.4"},
    "cpu_arm64": {"account": "111122223333", "repository": "trainer", "tag": "1.4-arm64"},
}
_FAMILIES = {"allowed_families": ["g5", "g6", "c6i", "m5", "p4d", "inf2"], "denied_families": ["p3"]}

_POLICY: Config = {
    "production": True,
    "account": "111122223333",
    "region": "us-east-1",
    "budget_usd_per_month": 1e9,
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
    "required_tags": ["cost-center"],
    "permissions_boundary_arn": "arn:aws:iam::111122223333:policy/company/boundary",
    "role_path": "/company/ml/",
}
_NEW_NETWORK: Config = {
    "mode": "new",
    "cidr": "10.1.0.0/20",
    "availability_zones": 3,
    "availability_zone_ids": ["use1-az1", "use1-az4", "use1-az6"],
    "interface_endpoints": ["sagemaker.runtime", "ecr.api", "bedrock-runtime"],
}
_EXISTING_NETWORK: Config = {
    "mode": "existing",
    "vpc_id": "vpc-0123456789abcdef0",
    "subnet_ids": ["subnet-0123456789abcdef0", "subnet-0123456789abcdef1"],
}

_EXISTING: Config = {
    "data_key_arn": "arn:aws:kms:us-east-1:444455556666:key/0a1b2c3d-0a1b-0a1b-0a1b-0a1b2c3d4e5f",
    "operations_key_arn": "arn:aws:kms:us-east-1:111122223333:key/mrk-0123456789abcdef0123456789abcdef",
    "artifact_bucket": "company-models",
    "access_log_bucket": "company-logs",
    "alarm_topic_arn": "arn:aws:sns:us-east-1:111122223333:company-alarms",
    "endpoint_security_group_id": "sg-0123456789abcdef0",
    "training_security_group_id": "sg-0123456789abcdef1",
}
_PLACE: Config = {
    "account": "222233334444",
    "region": "eu-west-1",
    "network": _EXISTING_NETWORK,
    "existing": {"artifact_bucket": "company-models-eu"},
}
_NAMES: Config = {
    "stack": "Company-{environment}-{platform}-{workload}",
    "workload": "company-{workload}-{environment}",
    "bucket": "company-{platform}-{environment}-{purpose}-{account}-{region}",
}
_LOOKS = {"period_s": 300, "datapoints_to_alarm": 2, "evaluation_periods": 3}
_ALARMS: Config = {
    "server_error_rate": {"above_percent": 2, **_LOOKS},
    "model_error_rate": {"off_because": "the caller counts them"},
    "client_error_rate": {"above_percent": 10},
    "model_latency_p95": {"above_ms": 20000, **_LOOKS},
    "model_latency_p99": {"period_s": 900},
    "overhead_latency": {"off_because": "nobody acts on it"},
    "cpu_utilization": {"above_percent": 97, **_LOOKS},
    "gpu_utilization": {"off_because": "it is full on purpose"},
    "gpu_memory_utilization": {"off_because": "it is full on purpose"},
    "memory_utilization": {"above_percent": 95},
    "disk_utilization": {"above_percent": 90},
}
_LOOKUP_NETWORK: Config = {
    "mode": "lookup",
    "vpc_tags": {"Name": "ml", "aws:cloudformation:stack-name": "network"},
    "subnet_tag": {"tier": "ml"},
}
_PROXY: Config = {"url": "http://proxy.example.com:3128", "bypass": [".example.com", "10.0.0.0/8"]}
_BOOTSTRAP: Config = {
    "qualifier": "company1",
    "deploy_role_arn": "arn:aws:iam::111122223333:role/company/deploy",
    "cloudformation_execution_role_arn": "arn:aws:iam::111122223333:role/company/execute",
    "file_asset_publishing_role_arn": "arn:aws:iam::111122223333:role/company/publish",
    "lookup_role_arn": "arn:aws:iam::111122223333:role/company/look-up",
    "file_assets_bucket_name": "company-cdk-assets",
    "bucket_prefix": "ml/",
}

_PIPELINE: Config = {
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
_PACKAGE: Config = {
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
_PACKAGE_OF_OTHERS: Config = {
    "arn": "arn:aws:sagemaker:us-east-1:444455556666:model-package/churn/3",
    **{key: value for key, value in _PACKAGE.items() if key not in ("group", "version")},
}

_ENDPOINT: Config = {
    "kind": "real-time-endpoint",
    "description": "Sorts what arrives",
    "tags": {"team": "search"},
    "engine": "optimized-runtime",
    "container": {
        "images": {
            **_IMAGES,
            "cuda": {**_IMAGE, "inference_ami_version": "al2-ami-sagemaker-inference-gpu-3-1"},
            "neuron": {**_IMAGE, "inference_ami_version": "al2-ami-sagemaker-inference-neuron-2"},
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
    "latency": {"max_p95_ms": 30000, "max_p99_ms": 50000, "max_wait_minutes": 30},
    "access": {
        "callers": ["arn:aws:iam::111122223333:role/company/app", "arn:aws:iam::444455556666:role/partner"]
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
    "alarms": _ALARMS,
    "instances": _FAMILIES,
}
_BY_STEPS: Config = {
    **_ENDPOINT["scaling"],
    "track": {},
    "steps": {
        "crowd": _ENDPOINT["scaling"]["steps"]["crowd"],
        "quiet": {"metric": "invocations", "below": 2, "remove": 1},
    },
}
_OF_REAL_TIME = ("scaling", "instance_pools", "rollout", "data_capture", "alarms")
_IN_ANY_MODE: Config = {
    **{key: value for key, value in _ENDPOINT.items() if key not in _OF_REAL_TIME},
    "kind": "endpoint",
    "mode": "auto",
    "similar_models": 3,
}
_QUEUE: Config = {
    **{
        key: _ENDPOINT[key]
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
    "latency": {"max_wait_minutes": 90},
    "max_usd_per_month": 1e6,
    "scaling": {
        **{key: value for key, value in _ENDPOINT["scaling"].items() if key not in ("track", "steps")},
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
        "age_of_oldest_request": {"above_minutes": 60, **_LOOKS},
        "backlog_without_capacity": {
            "off_because": "nobody acts on it",
        },
        "invocation_failures": {"above_count": 3, **_LOOKS},
        "expired_requests": {"above_count": 3},
        "notification_failures": {"above_count": 3},
        "memory_utilization": {"above_percent": 95, **_LOOKS},
        "disk_utilization": {"off_because": "nobody acts on it"},
    },
}
_SERVERLESS: Config = {
    **{
        key: _ENDPOINT[key]
        for key in ("description", "tags", "engine", "traffic", "access", "margin", "max_usd_per_month")
    },
    "kind": "serverless-endpoint",
    "container": {
        **_ENDPOINT["container"],
        "images": {"cpu_x86_64": _IMAGE},
        "network_isolation": False,
    },
    "latency": {"max_p95_ms": 5000, "max_p99_ms": 20000},
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
        "server_error_rate": {"above_percent": 2, **_LOOKS},
        "client_error_rate": {"off_because": "the caller counts them"},
        "model_latency_p95": {"above_ms": 20000, **_LOOKS},
        "model_latency_p99": {"period_s": 900},
        "overhead_latency": {"off_because": "nobody acts on it"},
        "model_setup_time": {"above_ms": 50000, **_LOOKS},
        "memory_utilization": {"above_percent": 95, **_LOOKS},
        "concurrency_utilization": {"off_because": "it is full on purpose"},
        "provisioned_concurrency_spillover": _LOOKS,
    },
}
_FUNCTION: Config = {
    **{key: value for key, value in _SERVERLESS.items() if key not in ("access", "container", "alarms")},
    "kind": "lambda-function",
    "container": {
        "images": {"cpu_x86_64": _OWN_IMAGE, "cpu_arm64": _OWN_IMAGE},
        "artifact": {**_ENDPOINT["container"]["artifact"], "size_gib": 1},
        "environment": {"LOG_LEVEL": "info"},
        "network_isolation": False,
    },
    "memory_mb": 10_240,
    "alarms": {
        "error_rate": {"above_percent": 2, **_LOOKS},
        "throttles": {"off_because": "callers try again"},
        "duration_p95": {"above_ms": 20000, **_LOOKS},
        "duration_p99": {"period_s": 900},
        "concurrency_utilization": {"above_percent": 95, **_LOOKS},
        "provisioned_concurrency_spillover": _LOOKS,
    },
}
_COMPONENT: Config = {
    **{key: _ENDPOINT[key] for key in ("engine", "container", "margin")},
    "traffic": {"peak_requests_per_second": 4, "average_requests_per_second": 1},
    "latency": {"max_p95_ms": 30000, "max_p99_ms": 50000},
    "scaling": {
        "min_copies": 2,
        "max_copies": 40,
        "headroom": 0.2,
        "scale_out_cooldown_s": 30,
        "scale_in_cooldown_s": 200,
    },
    "alarms": {
        "server_error_rate": {"above_percent": 2, **_LOOKS},
        "model_error_rate": {"above_percent": 2, **_LOOKS},
        "client_error_rate": {"off_because": "the caller counts them"},
        "model_latency_p95": {"above_ms": 40000, **_LOOKS},
        "model_latency_p99": {"off_because": "nobody acts on it"},
        "overhead_latency": {"off_because": "nobody acts on it"},
    },
}
_SLEEPING: Config = {"scaling": {"min_copies": 0, "max_copies": 3, "may_fail_while_cold": True}}
_COMPONENTS: Config = {
    **{key: _ENDPOINT[key] for key in ("description", "tags", "objective", "max_usd_per_month", "instances")},
    "kind": "inference-component-endpoint",
    "scaling": {"min_instances": 2, "max_instances": 500},
    "rollout": {"share_percent": 25, "wait_interval_s": 300},
    "alarms": {
        "memory_utilization": {"above_percent": 95, **_LOOKS},
        "disk_utilization": {"off_because": "nobody acts on it"},
    },
}
_SEVERAL: Config = {
    **{key: value for key, value in _ENDPOINT.items() if key not in ("instance_pools", "data_capture")},
    "kind": "multi-model-endpoint",
    "models": {"count": 500, "zipf_exponent": 1.1, "workers_per_model": 1, "cache": True},
    "container": {
        **_ENDPOINT["container"],
        "images": {
            "cuda": {
                **_IMAGE,
                "repository": "sagemaker-tritonserver",
                "inference_ami_version": "al2-ami-sagemaker-inference-gpu-3-1",
            },
            "cpu_x86_64": _IMAGE,
            "cpu_arm64": _IMAGES["cpu_arm64"],
        },
        "artifact": {"key": "models/all/", "compression": "gzip", "size_gib": 0.1},
    },
    "latency": {"max_p95_ms": 30000, "max_p99_ms": 50000, "max_cold_ms": 60000},
    "alarms": {
        **_ALARMS,
        "model_loading_wait_time": {"above_ms": 40000, **_LOOKS},
        "model_cache_hit": {"below_percent": 90, **_LOOKS},
    },
}
_HOT: Config = {"count": 500, "hot_count": 20, "hot_share_percent": 90}
_BATCHING: Config = {"max_batch_size": 8, "max_delay_ms": 5}
_PINNED: Config = {
    "instances": {"instance_type": "ml.g5.xlarge", "allowed_families": ["g5"], "denied_families": ["g6"]},
    "capacity_reservation_arn": "arn:aws:sagemaker:us-east-1:111122223333:ml-reservation/abc",
}
_USERS = {"peak_concurrent_users": 3, "average_concurrent_users": 1.5, "active_hours_per_day": 10}
_TOKENS_IN = {"input_tokens": 128, "payload_mb": 0.5, "response_mb": 0.1}
_TOKENS = {**_TOKENS_IN, "output_tokens": 16}

#: For each architecture, a model and the request that it is asked in; of some, another way to describe them.
_MODELS: dict[str, tuple[Config, Config]] = {
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
        _TOKENS_IN,
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
    "decoder": (
        {
            "architecture": "decoder",
            "parameters_millions": 3000,
            "precision": "bf16",
            "max_context_tokens": 8192,
        },
        _TOKENS,
    ),
    "encoder-decoder": ({"architecture": "encoder-decoder", "parameters_millions": 220}, _TOKENS),
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
        _TOKENS_IN,
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
    "preset that draws": (
        {"preset": "stable-diffusion-1.5", "denoising_steps": 4, "guidance": False},
        {"images": 1},
    ),
}
_TRANSFORM: Config = {
    "kind": "batch-transform",
    "description": "Scores what lies there",
    "tags": {"team": "search"},
    "engine": "optimized-runtime",
    "container": {
        "images": _IMAGES,
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
    "instances": _FAMILIES,
}
_PINNED_TRANSFORM: Config = {
    "schedule": None,
    "runs_per_month": 2,
    "strategy": "multi-record",
    "instances": {"instance_type": "ml.g5.xlarge", "allowed_families": ["g5"], "denied_families": ["g6"]},
}
_TRAINING: Config = {
    "kind": "training-job",
    "description": "Learns what arrived",
    "tags": {"team": "search"},
    "container": {
        "images": _TRAINING_IMAGES,
        "code": {"prefix": "code/train/", "command": ["torchrun", "--nproc_per_node=gpu", "train.py"]},
        "environment": {"LOG_LEVEL": "info"},
        "hyperparameters": {"epochs": 3, "rate": 0.1, "shuffle": True, "name": "a"},
        "network_isolation": True,
    },
    "dataset": {"prefix": "datasets/a/", "size_gib": 1, "epochs": 2},
    "method": "auto",
    "optimizer": "adamw",
    "batch_size_per_accelerator": 2,
    "deadline_hours": 100,
    "min_accelerators": 1,
    "max_instances": 4,
    "spot": {"enabled": True, "max_wait_hours": 200, "on_demand_fallback": True},
    "checkpoint": {"interval_minutes": 15},
    "margin": 0.1,
    "max_usd_per_run": 1e6,
    "schedule": {
        "every": "week",
        "weekday": "SAT",
        "at": "02:00",
        "time_zone": "Europe/Berlin",
        "enabled": True,
    },
    "instances": _FAMILIES,
}
_NOTEBOOK: Config = {
    "kind": "notebook",
    "description": "Looks at what arrived",
    "tags": {"team": "search"},
    "min_vcpus": 4,
    "min_memory_gib": 16,
    "min_accelerators": 1,
    "volume_gib": 50,
    "idle_shutdown_minutes": 30,
    "working_hours": {
        "weekdays": ["MON", "TUE", "WED"],
        "start": "08:15",
        "end": "17:45",
        "time_zone": "Europe/Berlin",
    },
    "starts_by_itself": True,
    "hours_per_month": 40,
    "read_prefixes": ["datasets/a/"],
    "write_prefixes": ["notebooks/a/"],
    "instances": _FAMILIES,
}
_BY_EXAMPLES = {"method": "full", "schedule": {"every": "month", "day_of_month": 3}}
_PINNED_JOB = {
    "schedule": None,
    "runs_per_month": 2,
    "method": "lora",
    "lora_parameters_millions": 20,
    "instances": {"instance_type": "ml.g5.12xlarge", "allowed_families": ["g5"], "denied_families": ["p3"]},
}


def every_key() -> dict[str, Config]:
    """Return the configurations by name; each is a whole base.yaml with one workload."""
    found: dict[str, Config] = {}
    for name, (model, request) in _MODELS.items():
        batched = {} if "rows" in request and "features" in model else {"batching": _BATCHING}
        found[f"endpoint: {name}"] = _base({**_ENDPOINT, **batched, "model": model, "request": request})
        found[f"queue: {name}"] = _base({**_QUEUE, **batched, "model": model, "request": request})
        found[f"serverless: {name}"] = _base({**_SERVERLESS, "model": model, "request": request})
        found[f"function: {name}"] = _base({**_FUNCTION, "model": model, "request": request})
        found[f"several: {name}"] = _base({**_SEVERAL, "model": model, "request": request})
        found[f"job: {name}"] = _base(_job(model, request))
        row = {key: value for key, value in request.items() if key not in ("payload_mb", "response_mb")}
        found[f"transform: {name}"] = _base({**_TRANSFORM, **batched, "model": model, "request": row})
        one = {**_COMPONENT, **batched, "model": model, "request": request}
        found[f"components: {name}"] = _base({**_COMPONENTS, "components": {"one": one}})
    images, request = _MODELS["cnn"]
    found["endpoint: in any mode"] = _base({**_IN_ANY_MODE, "model": images, "request": request})
    found["endpoint: or a function"] = _base(
        {
            **{key: value for key, value in _IN_ANY_MODE.items() if key != "access"},
            "model": images,
            "request": request,
            "lambda_runtime": True,
            "container": {
                **_ENDPOINT["container"],
                "images": {"cpu_x86_64": _OWN_IMAGE},
                "network_isolation": False,
            },
        }
    )
    decoder, request = _MODELS["decoder"]
    found["endpoint: pinned"] = _base(
        {
            **{key: value for key, value in _ENDPOINT.items() if key != "instance_pools"},
            **_PINNED,
            "model": decoder,
            "request": request,
            "traffic": _USERS,
            "engine": "llm-engine",
            "scaling": _BY_STEPS,
            "latency": {
                **_ENDPOINT["latency"],
                "max_time_to_first_token_ms": 20000,
                "max_inter_token_ms": 1500,
            },
        }
    )
    found["components: pinned"] = _base(
        {
            **_COMPONENTS,
            "instances": _PINNED["instances"],
            "scaling": {"min_instances": 0},
            "rollout": {},
            "components": {
                "one": {
                    **_COMPONENT,
                    **_SLEEPING,
                    "model": decoder,
                    "request": request,
                    "traffic": {"peak_concurrent_users": 3, "average_concurrent_users": 1.5},
                    "engine": "llm-engine",
                    "latency": {
                        **_COMPONENT["latency"],
                        "max_time_to_first_token_ms": 20000,
                        "max_inter_token_ms": 1500,
                    },
                }
            },
        }
    )
    found["queue: pinned"] = _base(
        {
            **_QUEUE,
            "model": decoder,
            "request": request,
            "instances": _PINNED["instances"],
            "alarms": {
                "age_of_oldest_request": {"off_because": "nobody acts on it"},
                "expired_requests": {"off_because": "nobody acts on it"},
                "backlog_without_capacity": _LOOKS,
            },
        }
    )
    tokens = {key: value for key, value in request.items() if key not in ("payload_mb", "response_mb")}
    found["transform: pinned"] = _base(
        _without_none({**_TRANSFORM, **_PINNED_TRANSFORM, "model": decoder, "request": tokens})
    )
    found["notebook"] = _base(_NOTEBOOK)
    found["notebook: pinned"] = _base({**_NOTEBOOK, "instances": _PINNED_JOB["instances"]})
    found["job: pinned"] = _base(_without_none({**_job(decoder, request), **_PINNED_JOB}))
    table, request = _MODELS["linear"]
    found["several: pinned"] = _base(
        {
            **_SEVERAL,
            "models": _HOT,
            "model": table,
            "request": request,
            "traffic": _USERS,
            "scaling": _BY_STEPS,
            "instances": {"instance_type": "ml.m5.4xlarge", "allowed_families": ["m5"]},
            "alarms": {
                "model_loading_wait_time": {"off_because": "nobody acts on it"},
                "model_cache_hit": {"off_because": "nobody acts on it"},
            },
        }
    )
    for kind in ("endpoint", "queue", "several", "components", "transform", "job", "notebook"):
        base = found[f"{kind}: pinned"]
        workload = {
            **base["workloads"]["it"],
            "execution_role_arn": "arn:aws:iam::111122223333:role/company/models",
        }
        found[f"{kind}: of the company"] = {
            **base,
            "storage": {"checkpoint_expiry_days": 7},
            "network": _EXISTING_NETWORK,
            "existing": _EXISTING,
            "names": _NAMES,
            "workloads": {"it": workload},
        }
    of_images = found["endpoint: cnn"]["workloads"]["it"]
    found["endpoint: several variants"] = _base({**of_images, "variants": _variants(of_images)})
    found["endpoint: a shadow"] = _base({**of_images, "shadow": _shadow(of_images)})
    for kind, framework in (
        ("endpoint", "xgboost"),
        ("queue", "xgboost"),
        ("several", "xgboost"),
        ("serverless", "xgboost"),
        ("transform", "xgboost"),
        ("job", "scikit-learn"),
    ):
        base = found[f"{kind}: linear"]
        container = {
            key: value for key, value in base["workloads"]["it"]["container"].items() if key != "images"
        }
        image = {"framework": framework, "version": "3.2-0" if framework == "xgboost" else "1.9-0"}
        workload = {**base["workloads"]["it"], "container": {**container, "image": image}}
        found[f"{kind}: image by name"] = {**base, "workloads": {"it": workload}}
    for kind in ("endpoint", "queue", "serverless", "transform"):
        base = found[f"{kind}: linear"]
        for words, package in (("", _PACKAGE), (" of others", _PACKAGE_OF_OTHERS)):
            stated = base["workloads"]["it"]["container"]
            container = {key: stated[key] for key in ("environment", "network_isolation")}
            workload = {**base["workloads"]["it"], "container": {**container, "model_package": package}}
            found[f"{kind}: model package{words}"] = {**base, "workloads": {"it": workload}}
    for kind in ("endpoint", "transform"):
        base = found[f"{kind}: linear"]
        workload = {**base["workloads"]["it"], "pipeline": _PIPELINE}
        found[f"{kind}: pipeline"] = {**base, "workloads": {"it": workload}}
    by_name = found["endpoint: image by name"]["workloads"]["it"]["container"]
    scored = {**found["components: linear"]["workloads"]["it"]["components"]["one"], "container": by_name}
    for words, package in (("", _PACKAGE), (" of others", _PACKAGE_OF_OTHERS)):
        packaged = {**scored, "container": {"model_package": package}}
        found[f"components: model package{words}"] = _base({**_COMPONENTS, "components": {"one": packaged}})
    found["components: image by name"] = _base({**_COMPONENTS, "components": {"one": scored}})
    for kind, other in (
        ("endpoint", "job"),
        ("endpoint", "components"),
        ("job", "endpoint"),
        ("job", "queue"),
        ("job", "several"),
        ("job", "transform"),
    ):
        base = found[f"{kind}: linear"]
        there = {**found[f"{other}: linear"]["workloads"]["it"], "place": "eu"}
        there.pop("notifications", None)  # topics of another account
        found[f"{other}: in another place"] = {
            **base,
            "bootstrap": {"qualifier": "company1"},
            "places": {"eu": _PLACE},
            "workloads": {**base["workloads"], "there": there},
        }
    found["notebook: in another place"] = {
        **found["notebook"],
        "bootstrap": {"qualifier": "company1"},
        "places": {"eu": _PLACE},
        "workloads": {"it": _NOTEBOOK, "there": {**_NOTEBOOK, "place": "eu"}},
    }
    serverless = found["serverless: linear"]["workloads"]["it"]
    for name, changes in (
        ("users", {"traffic": _USERS}),
        (
            "of the company",
            {
                "execution_role_arn": "arn:aws:iam::111122223333:role/company/models",
                "alarms": {
                    **_SERVERLESS["alarms"],
                    "model_setup_time": {"off_because": "nobody waits for it"},
                    "provisioned_concurrency_spillover": {"off_because": "some may start cold"},
                },
            },
        ),
    ):
        found[f"serverless: {name}"] = _base({**serverless, **changes})
    function = found["function: linear"]["workloads"]["it"]
    for kind, workload in (("serverless", serverless), ("function", function)):
        found[f"{kind}: in another place"] = {
            **found["endpoint: linear"],
            "bootstrap": {"qualifier": "company1"},
            "places": {"eu": _PLACE},
            "workloads": {
                **found["endpoint: linear"]["workloads"],
                "there": {**workload, "place": "eu"},
            },
        }
    found["function: of the company"] = _base(
        {
            **function,
            "traffic": _USERS,
            "execution_role_arn": "arn:aws:iam::111122223333:role/company/models",
            "alarms": {
                "error_rate": {"off_because": "the caller counts them"},
                "throttles": _LOOKS,
                "duration_p95": {"off_because": "nobody waits for it"},
                "duration_p99": {"above_ms": 50000, "datapoints_to_alarm": 2},
                "concurrency_utilization": {"off_because": "it is full on purpose"},
                "provisioned_concurrency_spillover": {"off_because": "some may start cold"},
            },
        }
    )
    for schedule in ({"every": "week", "weekday": "SAT"}, {"every": "month", "day_of_month": 3}):
        scheduled = {**found["transform: linear"]["workloads"]["it"], "schedule": schedule}
        found[f"transform: every {schedule['every']}"] = _base(scheduled)
    found["existing checkpoints"] = {
        **found["endpoint: linear"],
        "existing": {"checkpoint_bucket": "company-checkpoints"},
        "storage": {"noncurrent_version_expiry_days": 8},
    }
    for network in (_NEW_NETWORK, _EXISTING_NETWORK, _LOOKUP_NETWORK):
        found[f"{network['mode']} network"] = {
            **_base(_open(found["endpoint: linear"]["workloads"]["it"])),
            "network": {**network, "proxy": _PROXY},
        }
    return found


def _variants(endpoint: Config) -> Config:
    other = {key: value for key, value in endpoint.items() if key in Variant.model_fields}
    return {
        "candidate": {**other, "traffic_percent": 10, "pipeline": _PIPELINE},
        "reserved": {**_PINNED, "traffic_percent": 20, "instance_pools": None},
    }


def _shadow(endpoint: Config) -> Config:
    other = {key: value for key, value in endpoint.items() if key in ShadowVariant.model_fields}
    return {**other, **_PINNED, "sampling_percent": 50}


def _job(model: Config, request: Config) -> Config:
    if "input_tokens" in request:
        dataset = {"tokens_millions": 0.1, "sequence_length": 256}
        job = {**_TRAINING, "model": model}
    else:
        dataset = {"examples": 1000}
        job = {**_TRAINING, **_BY_EXAMPLES, "model": model}
    if model.get("architecture") in ("gradient-boosting", "linear"):
        del job["optimizer"]
    return {**job, "dataset": {**_TRAINING["dataset"], **dataset}}


def _open(workload: Config) -> Config:
    return {**workload, "container": {**workload["container"], "network_isolation": False}}


def _base(workload: Config) -> Config:
    return {
        "platform": "demo",
        "tags": {"cost-center": "research"},
        "policy": _POLICY,
        "bootstrap": _BOOTSTRAP,
        "network": _NEW_NETWORK,
        "storage": {
            "checkpoint_expiry_days": 7,
            "inference_data_expiry_days": 9,
            "noncurrent_version_expiry_days": 8,
        },
        "notifications": {
            "emails": ["team@example.com", "night@example.com"],
            "subscribed_elsewhere": True,
        },
        "workloads": {"it": workload},
    }


def _without_none(workload: Config) -> Config:
    return {key: value for key, value in workload.items() if value is not None}
