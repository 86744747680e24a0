"""Small valid configurations that together state every key of every kind: what the fuzzer mutates, and tests load."""

from sizewell.config.variants import ShadowVariant, Variant
from tools.benchmarks import stated_workloads as stated
from tools.benchmarks.stated_workloads import Config

_COMPANY_ROLE = {"execution_role_arn": "arn:aws:iam::111122223333:role/company/models"}


def every_key() -> dict[str, Config]:
    """Return the configurations by name; each is a whole base.yaml, most with one workload."""
    found: dict[str, Config] = {}
    for name, (model, request) in stated.MODELS.items():
        found |= _each_kind(name, model, request)
    found |= _rates(found)
    found |= _in_any_mode() | _pinned() | _scripts() | _notebooks()
    found |= _of_the_company(found) | _several_variants(found)
    found |= _images_by_name(found) | _model_packages(found) | _pipelines(found)
    found |= _in_another_place(found) | _schedules(found) | _networks(found)
    found |= _file_systems(found) | _experiments(found)
    found |= _tunings(found)
    found |= _jobs_in_order(found)
    found |= _at_night(found)
    found |= _in_clusters(found)
    return found


def _each_kind(name: str, model: Config, request: Config) -> dict[str, Config]:
    asked = {"model": model, "request": request}
    batched = asked if "rows" in request and "features" in model else {"batching": stated.BATCHING, **asked}
    return {
        f"endpoint: {name}": _base({**stated.ENDPOINT, **batched}),
        f"queue: {name}": _base({**stated.QUEUE, **batched}),
        f"serverless: {name}": _base({**stated.SERVERLESS, **asked}),
        f"function: {name}": _base({**stated.FUNCTION, **asked}),
        f"several: {name}": _base({**stated.SEVERAL, **asked}),
        f"job: {name}": _base(_job(model, request)),
        f"transform: {name}": _base({**stated.TRANSFORM, **batched, "request": _row(request)}),
        f"components: {name}": _components({**stated.COMPONENT, **batched}),
    }


def _at_night(found: dict[str, Config]) -> dict[str, Config]:
    """Return an environment without users, in which endpoints stop at night."""
    base = found["components: linear"]
    policy = {**base["policy"], "production": False, "working_hours": stated.NOTEBOOK["working_hours"]}
    return {"components: at night": {**base, "policy": policy}}


def _in_clusters(found: dict[str, Config]) -> dict[str, Config]:
    """Return a workload in a cluster of each target; and one in a cluster of another place."""
    model, request = stated.MODELS["cnn"]
    base = {**_base({**stated.IN_CLUSTER, "model": model, "request": request}), "clusters": stated.CLUSTERS}
    there = {**_workload(base), "place": "eu"}
    clusters = {name: {**cluster, "place": "eu"} for name, cluster in stated.CLUSTERS.items()}
    beside = found["job: linear"]
    return {
        "endpoint: in a cluster of EKS": _changed(base, stated.ON_SPOT),
        **{
            f"queue: in a cluster of {words}": {
                **_base({**stated.QUEUE_IN_CLUSTER, **also, "model": model, "request": request}),
                "clusters": stated.CLUSTERS,
            }
            for words, also in (("EKS", stated.ON_SPOT), ("ECS", {"target": "web"}))
        },
        "endpoint: in a cluster of ECS": {
            **base,
            "policy": {**base["policy"], "allowed_targets": ["web"]},
            "workloads": {
                name: {**workload, "target": "web"} for name, workload in base["workloads"].items()
            },
        },
        "transform: in a cluster of EKS": {
            **_base({**stated.TRANSFORMED_IN_CLUSTER, "model": model, "request": request}),
            "clusters": stated.CLUSTERS,
        },
        "job: in a cluster of Batch": {**_base(stated.TRAINED_IN_CLUSTER), "clusters": stated.CLUSTERS},
        "job: in a cluster of EKS": {**_base(stated.TRAINED_ON_EKS), "clusters": stated.CLUSTERS},
        "endpoint: in a cluster of another place": {
            **beside,
            "bootstrap": {"qualifier": "company1"},
            "places": {"eu": stated.PLACE},
            "clusters": clusters,
            "workloads": {**beside["workloads"], "there": there},
        },
    }


def _rates(found: dict[str, Config]) -> dict[str, Config]:
    """Return the traffic of each kind in each unit of time."""
    rates = {}
    for unit in ("minute", "hour", "day"):
        traffic = {f"peak_requests_per_{unit}": 4000, f"average_requests_per_{unit}": 1000}
        for kind in ("endpoint", "queue", "serverless", "function", "several"):
            rates[f"{kind}: per {unit}"] = _changed(found[f"{kind}: linear"], {"traffic": traffic})
        component, asked = stated.MODELS["linear"]
        rates[f"components: per {unit}"] = _components(
            {**stated.COMPONENT, "model": component, "request": asked, "traffic": traffic}
        )
    return rates


def _in_any_mode() -> dict[str, Config]:
    model, request = stated.MODELS["cnn"]
    workload = {**stated.IN_ANY_MODE, "model": model, "request": request}
    container = {
        **stated.ENDPOINT["container"],
        "images": {"cpu_x86_64": stated.OWN_IMAGE},
        "network_isolation": False,
    }
    function = {**_without(workload, "access"), "lambda_runtime": True, "container": container}
    return {"endpoint: in any mode": _base(workload), "endpoint: or a function": _base(function)}


def _pinned() -> dict[str, Config]:
    """Return what stands beside or against the keys of each kind: a pinned type, steps alone, alarms turned off."""
    decoder, request = stated.MODELS["decoder"]
    table, rows = stated.MODELS["linear"]
    asked = {"model": decoder, "request": request}
    tokens = {"max_time_to_first_token_ms": 20000, "max_inter_token_ms": 1500}
    instances = stated.PINNED["instances"]
    endpoint = {
        **_without(stated.ENDPOINT, "instance_pools"),
        **stated.PINNED,
        **asked,
        "traffic": stated.USERS,
        "engine": "llm-engine",
        "scaling": stated.BY_STEPS,
        "latency": {**stated.ENDPOINT["latency"], **tokens},
    }
    component = {
        **stated.COMPONENT,
        **stated.SLEEPING,
        **asked,
        "traffic": {"peak_concurrent_users": 3, "average_concurrent_users": 1.5},
        "engine": "llm-engine",
        "latency": {**stated.COMPONENT["latency"], **tokens},
    }
    queue = {
        **stated.QUEUE,
        **asked,
        "instances": instances,
        "alarms": {
            "age_of_oldest_request": {"off_because": "nobody acts on it"},
            "expired_requests": {"off_because": "nobody acts on it"},
            "backlog_without_capacity": stated.LOOKS,
        },
    }
    several = {
        **stated.SEVERAL,
        "models": stated.HOT,
        "model": table,
        "request": rows,
        "traffic": stated.USERS,
        "scaling": stated.BY_STEPS,
        "instances": {"instance_type": "ml.m5.4xlarge", "allowed_families": ["m5"]},
        "alarms": {
            "model_loading_wait_time": {"off_because": "nobody acts on it"},
            "model_cache_hit": {"off_because": "nobody acts on it"},
        },
    }
    transform = {**stated.TRANSFORM, **stated.PINNED_TRANSFORM, "model": decoder, "request": _row(request)}
    return {
        "endpoint: pinned": _base(endpoint),
        "components: pinned": _components(
            component, instances=instances, scaling={"min_instances": 0}, rollout={}
        ),
        "queue: pinned": _base(queue),
        "transform: pinned": _base(_without(transform, "schedule")),
        "job: pinned": _base(_without({**_job(decoder, request), **stated.PINNED_JOB}, "schedule")),
        "several: pinned": _base(several),
        "job: in a training plan": _base(
            _without({**_job(decoder, request), **stated.PINNED_JOB, **stated.TRAINING_PLAN}, "schedule")
        ),
    }


def _scripts() -> dict[str, Config]:
    """Return processing jobs, one of which compiles a model."""
    named = {"image": {"framework": "scikit-learn", "version": "1.9-0"}}
    changes = {
        "on CPUs": {},
        "compiles": stated.COMPILES,
        "image by name": {"container": named},
        "pinned": stated.PINNED_SCRIPT,
    }
    return {f"script: {name}": _changed(_base(stated.SCRIPT), change) for name, change in changes.items()}


def _notebooks() -> dict[str, Config]:
    notebook = _base(stated.NOTEBOOK)
    return {
        "notebook": notebook,
        "notebook: pinned": _changed(notebook, {"instances": stated.PINNED_JOB["instances"]}),
    }


def _of_the_company(found: dict[str, Config]) -> dict[str, Config]:
    """Return workloads in a network, with roles, names, keys and buckets, that the company has already."""
    of_company = {
        f"{kind}: of the company": {
            **_changed(found[f"{kind}: pinned"], _COMPANY_ROLE),
            "storage": {"checkpoint_expiry_days": 7},
            "network": stated.EXISTING_NETWORK,
            "existing": stated.EXISTING,
            "names": stated.NAMES,
        }
        for kind in ("endpoint", "queue", "several", "components", "transform", "script", "job", "notebook")
    }
    serverless_alarms = {
        **stated.SERVERLESS["alarms"],
        "model_setup_time": {"off_because": "nobody waits for it"},
        "provisioned_concurrency_spillover": {"off_because": "some may start cold"},
    }
    function_alarms = {
        "error_rate": {"off_because": "the caller counts them"},
        "throttles": stated.LOOKS,
        "duration_p95": {"off_because": "nobody waits for it"},
        "duration_p99": {"above_ms": 50000, "datapoints_to_alarm": 2},
        "concurrency_utilization": {"off_because": "it is full on purpose"},
        "provisioned_concurrency_spillover": {"off_because": "some may start cold"},
    }
    serverless, function = found["serverless: linear"], found["function: linear"]
    return {
        **of_company,
        "serverless: users": _changed(serverless, {"traffic": stated.USERS}),
        "serverless: of the company": _changed(serverless, {**_COMPANY_ROLE, "alarms": serverless_alarms}),
        "function: of the company": _changed(
            function, {**_COMPANY_ROLE, "traffic": stated.USERS, "alarms": function_alarms}
        ),
        "existing checkpoints": {
            **found["endpoint: linear"],
            "existing": {"checkpoint_bucket": "company-checkpoints"},
            "storage": {"noncurrent_version_expiry_days": 8},
        },
    }


def _several_variants(found: dict[str, Config]) -> dict[str, Config]:
    endpoint = found["endpoint: cnn"]
    workload = _workload(endpoint)
    candidate = {key: value for key, value in workload.items() if key in Variant.model_fields}
    shadow = {key: value for key, value in workload.items() if key in ShadowVariant.model_fields}
    variants = {
        "candidate": {**candidate, "traffic_percent": 10, "pipeline": stated.PIPELINE},
        "reserved": {**stated.PINNED, "traffic_percent": 20, "instance_pools": None},
    }
    return {
        "endpoint: several variants": _changed(endpoint, {"variants": variants}),
        "endpoint: a shadow": _changed(
            endpoint, {"shadow": {**shadow, **stated.PINNED, "sampling_percent": 50}}
        ),
    }


def _images_by_name(found: dict[str, Config]) -> dict[str, Config]:
    boosting = {"framework": "xgboost", "version": "3.2-0"}
    linear = {"framework": "scikit-learn", "version": "1.9-0"}
    named = {}
    for kind in ("endpoint", "queue", "several", "serverless", "transform", "job"):
        base = found[f"{kind}: linear"]
        image = linear if kind == "job" else boosting
        container = {**_without(_workload(base)["container"], "images"), "image": image}
        named[f"{kind}: image by name"] = _changed(base, {"container": container})
    scored = _workload(found["components: linear"])["components"]["one"]
    container = _workload(named["endpoint: image by name"])["container"]
    named["components: image by name"] = _components({**scored, "container": container})
    return named


def _model_packages(found: dict[str, Config]) -> dict[str, Config]:
    packaged = {}
    scored = _workload(found["components: linear"])["components"]["one"]
    for words, package in (("", stated.PACKAGE), (" of others", stated.PACKAGE_OF_OTHERS)):
        for kind in ("endpoint", "queue", "serverless", "transform"):
            base = found[f"{kind}: linear"]
            container = {
                **_without(_workload(base)["container"], "images", "artifact"),
                "model_package": package,
            }
            packaged[f"{kind}: model package{words}"] = _changed(base, {"container": container})
        packaged[f"components: model package{words}"] = _components(
            {**scored, "container": {"model_package": package}}
        )
    return packaged


def _pipelines(found: dict[str, Config]) -> dict[str, Config]:
    return {
        f"{kind}: pipeline": _changed(found[f"{kind}: linear"], {"pipeline": stated.PIPELINE})
        for kind in ("endpoint", "transform")
    }


def _in_another_place(found: dict[str, Config]) -> dict[str, Config]:
    """Return workloads of each kind that stand in another account and region than one beside them."""
    examples = {"script": "script: on CPUs", "notebook": "notebook"}
    placed = {}
    for beside, kinds in (
        ("job", ("endpoint", "queue", "several", "transform")),
        ("endpoint", ("job", "components", "serverless", "function", "script", "notebook")),
    ):
        base = found[f"{beside}: linear"]
        for kind in kinds:
            # the topics of notifications would be of the other account
            of_kind = found[examples.get(kind, f"{kind}: linear")]
            there = {**_without(_workload(of_kind), "notifications"), "place": "eu"}
            placed[f"{kind}: in another place"] = {
                **base,
                "bootstrap": {"qualifier": "company1"},
                "places": {"eu": stated.PLACE},
                "workloads": {**base["workloads"], "there": there},
            }
    return placed


def _schedules(found: dict[str, Config]) -> dict[str, Config]:
    return {
        f"transform: every {schedule['every']}": _changed(found["transform: linear"], {"schedule": schedule})
        for schedule in ({"every": "week", "weekday": "SAT"}, {"every": "month", "day_of_month": 3})
    }


def _networks(found: dict[str, Config]) -> dict[str, Config]:
    base = found["endpoint: linear"]
    container = {**_workload(base)["container"], "network_isolation": False}
    return {
        f"{network['mode']} network": {
            **_changed(base, {"container": container}),
            "network": {**network, "proxy": stated.PROXY},
        }
        for network in (stated.NEW_NETWORK, stated.EXISTING_NETWORK, stated.LOOKUP_NETWORK)
    }


def _experiments(found: dict[str, Config]) -> dict[str, Config]:
    """Return trainings that record their runs: in an App that is made, here and in a place, and in a server that is there."""
    job = found["job: linear"]
    container = {**_workload(job)["container"], "network_isolation": False}
    recorded = _changed(job, {"experiment": "churn", "container": container})
    beside = {"it": _workload(recorded), "there": {**_workload(recorded), "place": "eu"}}
    return {
        "job: recorded": {**recorded, "existing": {"mlflow_arn": stated.MLFLOW_SERVER}},
        "job: recorded in two places": {
            **recorded,
            "mlflow_app": True,
            "dashboard": False,
            "network": stated.EXISTING_NETWORK,
            "bootstrap": {"qualifier": "company1"},
            "places": {"eu": {**stated.PLACE, "mlflow_app": True}},
            "workloads": beside,
        },
    }


def _job(model: Config, request: Config) -> Config:
    if {"input_tokens", "audio_seconds"} & request.keys():
        dataset = {"tokens_millions": 0.1, "sequence_length": 256}
        job = {**stated.TRAINING, "model": model}
    else:
        dataset = {"examples": 1000}
        job = {**stated.TRAINING, **stated.BY_EXAMPLES, "model": model}
    if model.get("architecture") in ("gradient-boosting", "linear"):
        del job["optimizer"]
    return {**job, "dataset": {**stated.TRAINING["dataset"], **dataset}}


def _file_systems(found: dict[str, Config]) -> dict[str, Config]:
    """Return a training that reads file systems, in a network that exists."""
    base = found["job: linear"]
    dataset = {**_without(_workload(base)["dataset"], "prefix"), "file_system": stated.LUSTRE}
    job = _changed(base, {"dataset": dataset, "file_systems": {"images": stated.EFS}})
    job = _changed(job, stated.WARM_POOL)
    return {"job: file systems": {**job, "network": stated.EXISTING_NETWORK}}


def _tunings(found: dict[str, Config]) -> dict[str, Config]:
    """Return a tuning of each training."""
    jobs = {name: base for name, base in found.items() if name.startswith("job: ")}
    return {
        name.replace("job", "tuning", 1): {
            **base,
            "workloads": {
                key: _tuned(workload) if workload["kind"] == "training-job" else workload
                for key, workload in base["workloads"].items()
            },
        }
        for name, base in jobs.items()
    }


def _tuned(job: Config) -> Config:
    return {
        **_without(job, "keep_alive_minutes", "tensorboard", "training_plan_arn"),
        "kind": "tuning-job",
        "spot": _without(job["spot"], "max_wait_hours", "on_demand_fallback"),
        "search": stated.SEARCH,
        "total_deadline_hours": 168,
    }


def _jobs_in_order(found: dict[str, Config]) -> dict[str, Config]:
    """Return pipelines: one with a schedule, one that events start, and one whose jobs are all in another place."""
    training = _without(_workload(found["job: linear"]), "schedule")
    jobs = {"clean": stated.SCRIPT, "train": training, "judge": stated.JUDGE}
    jobs = {name: _without(job, "schedule") for name, job in jobs.items()}
    pipeline = _base(stated.PIPELINE_OF_JOBS)
    events = {"starts_on": stated.PINNED_JOB["starts_on"], "runs_per_month": 2}
    placed = {"it": {**stated.PIPELINE_OF_JOBS, "schedule": {"every": "month", "day_of_month": 3}}, **jobs}
    beside = _workload(found["endpoint: linear"])
    return {
        "pipeline": {**pipeline, "workloads": {**pipeline["workloads"], **jobs}},
        "pipeline: on events": {
            **pipeline,
            "workloads": {"it": {**_without(stated.PIPELINE_OF_JOBS, "schedule"), **events}, **jobs},
        },
        "pipeline: in another place": {
            **pipeline,
            "bootstrap": {"qualifier": "company1"},
            "places": {"eu": stated.PLACE},
            "workloads": {
                "here": beside,
                **{name: {**workload, "place": "eu"} for name, workload in placed.items()},
            },
        },
    }


def _row(request: Config) -> Config:
    return _without(request, "payload_mb", "response_mb")


def _components(component: Config, **fleet: Config) -> Config:
    return _base({**stated.COMPONENTS, **fleet, "components": {"one": component}})


def _base(workload: Config) -> Config:
    return {**stated.BASE, "workloads": {"it": workload}}


def _workload(base: Config) -> Config:
    workload: Config = base["workloads"]["it"]
    return workload


def _changed(base: Config, changes: Config) -> Config:
    return {**base, "workloads": {"it": {**_workload(base), **changes}}}


def _without(section: Config, *keys: str) -> Config:
    return {key: value for key, value in section.items() if key not in keys}
