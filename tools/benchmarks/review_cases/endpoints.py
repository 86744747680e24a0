"""Changes of an endpoint's own resources."""

from functools import partial
from typing import Any

from tools.benchmarks.review_cases.case import Change, Json, Output, TemplateCase, changed, edited, removed

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
    "AlarmsDiskUtilizationC1ACB433",
    "AlarmsGpuMemoryUtilizationB5657788",
    "AlarmsMemoryUtilization46123E01",
    "AlarmsModelErrorRate8E7A24E4",
    "AlarmsModelLatencyP958642BF53",
)
LOG_GROUP = "EndpointLogGroupF0503913"
ROLE = "EndpointModelRole6BDC00D5"
POLICY = "EndpointModelRolePolicy522A5F2E"
#: Those that call a fleet back: each configuration has its own.
ROLLBACK_ALARMS = (
    "EndpointRollbackAlarmsModelErrorRate3C789389",
    "EndpointRollbackAlarmsModelLatencyP95E8D0164B",
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


_model = partial(changed, BERT, MODEL)
_endpoint = partial(changed, BERT, ENDPOINT)


def _variant(**values: Any) -> Change:
    return edited(BERT, CONFIG, lambda properties: properties["ProductionVariants"][0].update(values))


def _another_image(model: Json) -> None:
    container = model["PrimaryContainer"]
    container["Image"] = container["Image"].replace("2.6.0", "2.7.0", 1)


def _another_artifact(model: Json) -> None:
    source = model["PrimaryContainer"]["ModelDataSource"]["S3DataSource"]
    source["S3Uri"]["Fn::Join"][1][-1] = "/models/support-bert/v2.tar.gz"


def _stack_gone(output: Output) -> None:
    with output.json("manifest.json") as manifest:
        del manifest["artifacts"][STACK]


def _without_scaling(output: Output) -> None:
    removed(BERT, *SCALING)(output)
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
        _variant(InstanceType="ml.g5.xlarge"),
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
        edited(BERT, MODEL, _another_image),
        MODEL_REPLACED
        | {
            f"replaced: {STACK}/{MODEL} by PrimaryContainer.Image",
            f"notice model-changed: {STACK} {MODEL}",
            FLEET,
        },
    ),
    TemplateCase(
        "another model artifact",
        edited(BERT, MODEL, _another_artifact),
        MODEL_REPLACED
        | {
            f"replaced: {STACK}/{MODEL} by PrimaryContainer.ModelDataSource.S3DataSource.S3Uri",
            f"notice model-changed: {STACK} {MODEL}",
            FLEET,
        },
    ),
    TemplateCase(
        "another environment variable of the container",
        edited(BERT, MODEL, lambda model: model["PrimaryContainer"]["Environment"].update(BATCH="8")),
        MODEL_REPLACED
        | {
            f"replaced: {STACK}/{MODEL} by PrimaryContainer.Environment.BATCH",
            f"warning other-results: {STACK} {MODEL}",
            FLEET,
        },
    ),
    TemplateCase(
        "network isolation off",
        _model(EnableNetworkIsolation=False),
        MODEL_REPLACED
        | {
            f"replaced: {STACK}/{MODEL} by EnableNetworkIsolation",
            f"warning less-secure: {STACK} {MODEL}",
            FLEET,
        },
    ),
    TemplateCase(
        "retained counts off",
        _endpoint(RetainAllVariantProperties=False),
        frozenset({f"changed: {STACK}/{ENDPOINT}", f"warning counts-lost: {STACK} {ENDPOINT}"}),
    ),
    TemplateCase(
        "another endpoint name",
        _endpoint(EndpointName="demo-prod-support"),
        frozenset(
            {f"replaced: {STACK}/{ENDPOINT} by EndpointName", f"danger endpoint-renamed: {STACK} {ENDPOINT}"}
        ),
    ),
    TemplateCase(
        "another variant name",
        _variant(VariantName="blue"),
        FOLLOWERS
        | {
            f"replaced: {STACK}/{CONFIG} by ProductionVariants.blue, ProductionVariants.primary",
            f"danger variant-renamed: {STACK} {ENDPOINT}",
            # Nobody scales the variant of the new name: its third instance never comes.
            "cost: prod support-bert +0.00 / +0.00 / -537.57",
        },
    ),
    TemplateCase(
        "less time to start",
        _variant(ContainerStartupHealthCheckTimeoutInSeconds=900),
        _replaced("ContainerStartupHealthCheckTimeoutInSeconds")
        | {FLEET, f"warning less-available: {STACK} EndpointEndpointConfig5871F635"},
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
        _stack_gone,
        # 2 x 0.7364 x 730 = 1075.14, and 15 alarm metrics at 0.10 USD: of the ten alarms above, two of
        # errors are on three and on two, and two are of target tracking. At the
        # most 3 instances: 1612.72.
        frozenset(
            {
                f"stack removed: {STACK}",
                f"danger workload-removed: {STACK} {ENDPOINT}",
                f"warning stateful-removed: {STACK} {LOG_GROUP}",
                "cost: prod support-bert -1076.44 / -1076.44 / -1614.02",
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
        edited(BERT, ENDPOINT, lambda endpoint: endpoint["Tags"].append({"Key": "team", "Value": "support"})),
        frozenset({f"changed: {STACK}/{ENDPOINT}"}),
    ),
)
