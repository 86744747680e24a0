"""Changes of an endpoint's own resources."""

from typing import Any

from tools.benchmarks.review_cases.case import Output, TemplateCase

BERT = "support-bert"
STACK = "demo-prod-support-bert"
MODEL = "EndpointModel0F230181"
CONFIG = "EndpointEndpointConfig5871F635"
ENDPOINT = "Endpoint8024A810"
SCALING = ("ScalingprimaryTargetFA05294E", "ScalingprimaryPolicy1A7627DC")
#: What runs every hour while autoscaling is off, and is disabled while it is on.
REMINDER = "ScalingOffReminder66012B6F"
#: All else that the stack has.
ALARMS = (
    "AlarmsClientErrorRate290BD28B",
    "AlarmsCpuUtilization0C907FD4",
    "AlarmsDiskUtilizationC1ACB433",
    "AlarmsGpuMemoryUtilizationB5657788",
    "AlarmsGpuUtilization08D59863",
    "AlarmsMemoryUtilization46123E01",
    "AlarmsModelErrorRate8E7A24E4",
    "AlarmsModelLatencyP958642BF53",
    "AlarmsModelLatencyP9978AB0F6E",
    "AlarmsOverheadLatencyCA9F3DE8",
    "AlarmsServerErrorRate7C02E9F9",
)
LOG_GROUP = "EndpointLogGroupF0503913"
ROLE = "EndpointModelRole6BDC00D5"
POLICY = "EndpointModelRolePolicy522A5F2E"
#: Those that call a fleet back: each configuration has its own.
ROLLBACK_ALARMS = (
    "EndpointRollbackAlarmsModelErrorRate3C789389",
    "EndpointRollbackAlarmsModelLatencyP99139BC65A",
    "EndpointRollbackAlarmsServerErrorRate083E260F",
)
#: What refers to the endpoint configuration, and so learns of a new one.
FOLLOWERS = frozenset(
    {
        f"changed: {STACK}/{ENDPOINT}",
        *(f"replaced: {STACK}/{name} by AlarmName" for name in ROLLBACK_ALARMS),
    }
)
#: Production updates accelerated instances in batches (``sizewell.planning.rollout``): no whole fleet beside the old one.
FLEET = f"notice fleet-doubled: {STACK} {ENDPOINT}"


def _replaced(property_path: str) -> frozenset[str]:
    return FOLLOWERS | {f"replaced: {STACK}/{CONFIG} by ProductionVariants.primary.{property_path}"}


def _variant(output: Output, change: dict[str, Any]) -> None:
    with output.properties(BERT, CONFIG) as properties:
        properties["ProductionVariants"][0].update(change)


def _model(output: Output, change: dict[str, Any]) -> None:
    with output.properties(BERT, MODEL) as properties:
        properties.update(change)


def _another_image(output: Output) -> None:
    with output.properties(BERT, MODEL) as properties:
        properties["PrimaryContainer"]["Image"] = properties["PrimaryContainer"]["Image"].replace(
            "2.6.0", "2.7.0", 1
        )


def _another_artifact(output: Output) -> None:
    with output.properties(BERT, MODEL) as properties:
        source = properties["PrimaryContainer"]["ModelDataSource"]["S3DataSource"]
        source["S3Uri"]["Fn::Join"][1][-1] = "/models/support-bert/v2.tar.gz"


def _endpoint(output: Output, **change: Any) -> None:
    with output.properties(BERT, ENDPOINT) as properties:
        for key, value in change.items():
            if value is None:
                properties.pop(key, None)
            else:
                properties[key] = value


def _without_scaling(output: Output) -> None:
    with output.template(BERT) as template:
        for name in SCALING:
            del template["Resources"][name]
    with output.json("plan.json") as plan:
        for endpoint in plan["workloads"]:
            if endpoint["name"] == BERT:
                endpoint["scaling"] = None


def _switched_off(output: Output) -> None:
    with output.template(BERT) as template:
        template["Parameters"]["Autoscaling"]["Default"] = "off"


MODEL_REPLACED = _replaced("ModelName")

CASES = (
    TemplateCase(
        "another instance type",
        lambda o: _variant(o, {"InstanceType": "ml.g5.xlarge"}),
        # 1.41 in place of 0.7364 USD per hour, 730 hours, of 2 instances and at the most 3.
        _replaced("InstanceType")
        | {
            f"warning instance-type-changed: {STACK} {ENDPOINT}",
            FLEET,
            "cost: prod support-bert +983.46 / +983.46 / +1475.18",
        },
    ),
    TemplateCase(
        "another image",
        _another_image,
        MODEL_REPLACED
        | {
            f"replaced: {STACK}/{MODEL} by PrimaryContainer.Image",
            f"notice model-changed: {STACK} {MODEL}",
            FLEET,
        },
    ),
    TemplateCase(
        "another model artifact",
        _another_artifact,
        MODEL_REPLACED
        | {
            f"replaced: {STACK}/{MODEL} by PrimaryContainer.ModelDataSource.S3DataSource.S3Uri",
            f"notice model-changed: {STACK} {MODEL}",
            FLEET,
        },
    ),
    TemplateCase(
        "another environment variable of the container",
        lambda o: _set_environment(o),
        MODEL_REPLACED | {f"replaced: {STACK}/{MODEL} by PrimaryContainer.Environment.BATCH", FLEET},
    ),
    TemplateCase(
        "network isolation off",
        lambda o: _model(o, {"EnableNetworkIsolation": False}),
        MODEL_REPLACED
        | {
            f"replaced: {STACK}/{MODEL} by EnableNetworkIsolation",
            f"weaker isolation-lost: {STACK} {MODEL}",
            FLEET,
        },
    ),
    TemplateCase(
        "retained counts off",
        lambda o: _endpoint(o, RetainAllVariantProperties=False),
        frozenset({f"changed: {STACK}/{ENDPOINT}", f"danger counts-lost: {STACK} {ENDPOINT}"}),
    ),
    TemplateCase(
        "another endpoint name",
        lambda o: _endpoint(o, EndpointName="demo-prod-support"),
        frozenset(
            {f"replaced: {STACK}/{ENDPOINT} by EndpointName", f"danger endpoint-renamed: {STACK} {ENDPOINT}"}
        ),
    ),
    TemplateCase(
        "another variant name",
        lambda o: _variant(o, {"VariantName": "blue"}),
        FOLLOWERS
        | {
            f"replaced: {STACK}/{CONFIG} by ProductionVariants.blue, ProductionVariants.primary",
            f"danger variant-renamed: {STACK} {ENDPOINT}",
            # Nobody scales the variant of the new name: its third instance never comes.
            "cost: prod support-bert +0.00 / +0.00 / -537.57",
        },
    ),
    TemplateCase(
        "more time to start",
        lambda o: _variant(o, {"ContainerStartupHealthCheckTimeoutInSeconds": 900}),
        _replaced("ContainerStartupHealthCheckTimeoutInSeconds") | {FLEET},
    ),
    TemplateCase(
        "scaling taken away",
        _without_scaling,
        # The third instance, and the two alarms of target tracking.
        frozenset(
            {
                *(f"removed: {STACK}/{name}" for name in SCALING),
                f"warning scaling-removed: {STACK} {ENDPOINT}",
                "cost: prod support-bert -0.20 / -0.20 / -537.77",
            }
        ),
    ),
    TemplateCase(
        "autoscaling off unless the deployment says otherwise",
        _switched_off,
        frozenset(
            {
                f"stack changed: {STACK}",
                *(f"removed: {STACK}/{name}" for name in SCALING),
                f"changed: {STACK}/{REMINDER}",
                f"notice schedule-changed: {STACK} {REMINDER}",
                f"warning scaling-removed: {STACK} {ENDPOINT}",
                # The two alarms of target tracking.
                "cost: prod support-bert -0.20 / -0.20 / -0.20",
            }
        ),
    ),
    TemplateCase(
        "the endpoint's stack gone",
        lambda o: _stack_gone(o, STACK),
        # 2 x 0.7364 x 730 = 1075.14, and 16 alarms at 0.10 USD: the fourteen above and the two of target tracking. At the
        # most 3 instances: 1612.72.
        frozenset(
            {
                f"stack removed: {STACK}",
                f"danger workload-removed: {STACK} {ENDPOINT}",
                f"warning stateful-removed: {STACK} {LOG_GROUP}",
                "cost: prod support-bert -1076.74 / -1076.74 / -1614.32",
            }
            | {
                f"removed: {STACK}/{name}"
                for name in (
                    ENDPOINT,
                    CONFIG,
                    MODEL,
                    LOG_GROUP,
                    ROLE,
                    POLICY,
                    *SCALING,
                    REMINDER,
                    *ALARMS,
                    *ROLLBACK_ALARMS,
                )
            }
        ),
    ),
    TemplateCase(
        "a tag more",
        lambda o: _tag(o),
        frozenset({f"changed: {STACK}/{ENDPOINT}"}),
    ),
)


def _set_environment(output: Output) -> None:
    with output.properties(BERT, MODEL) as properties:
        properties["PrimaryContainer"]["Environment"]["BATCH"] = "8"


def _stack_gone(output: Output, name: str) -> None:
    with output.json("manifest.json") as manifest:
        del manifest["artifacts"][name]


def _tag(output: Output) -> None:
    with output.properties(BERT, ENDPOINT) as properties:
        properties["Tags"].append({"Key": "team", "Value": "support"})
