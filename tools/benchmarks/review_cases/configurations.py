"""Changes of the configuration files, reviewed after synth."""

import shutil
from pathlib import Path

from tools.benchmarks.review_cases.case import ConfigCase
from tools.benchmarks.review_cases.endpoints import ROLLBACK_ALARMS

_CONFIG = Path(__file__).parents[3] / "config"


def write_configuration(case: ConfigCase, directory: Path) -> None:
    """Write the configuration of the project with a case's edits, and without its lock: needs decide, as they are.

    Raises ValueError for an edit whose text is not there exactly once.
    """
    directory.mkdir(parents=True)
    for path in sorted(_CONFIG.glob("*.yaml")):
        if path.name != "selection.lock.yaml":
            shutil.copy(path, directory)
    for name, old, new in case.edits:
        path = directory / name
        text = path.read_text("utf-8")
        if text.count(old) != 1:
            raise ValueError(f"{case.name}: {old!r} is there {text.count(old)} times in {name}")
        path.write_text(text.replace(old, new), "utf-8")


ENDPOINTS = ("assistant", "plant-id", "support-bert")
JOBS = ("assistant-tune", "plant-id-train")
#: Endpoints without accelerator: a canary, and with it a second fleet, while those with one are updated in batches
#: (``sizewell.planning.rollout``).
_CANARIES = ("plant-id",)
_CONFIG_ID = "EndpointEndpointConfig5871F635"
_MODEL = "EndpointModel0F230181"
_ENDPOINT = "Endpoint8024A810"
_SCALING = ("ScalingprimaryTargetFA05294E", "ScalingprimaryPolicy1A7627DC")
_MACHINE = "TrainingWorkflowStateMachineECD03D2F"


def _stack(workload: str) -> str:
    return f"demo-prod-{workload}"


def _new_fleet(workload: str, property_name: str) -> set[str]:
    """What is said when an endpoint gets another configuration."""
    stack = _stack(workload)
    severity = "warning" if workload in _CANARIES else "notice"
    return {
        f"replaced: {stack}/{_CONFIG_ID} by ProductionVariants.primary.{property_name}",
        f"changed: {stack}/{_ENDPOINT}",
        *(f"replaced: {stack}/{name} by AlarmName" for name in ROLLBACK_ALARMS),
        f"{severity} fleet-doubled: {stack} {_ENDPOINT}",
    }


def _new_model(workload: str, property_path: str) -> set[str]:
    """What is said when an endpoint gets another model, and with it another configuration."""
    return {f"replaced: {_stack(workload)}/{_MODEL} by {property_path}", *_new_fleet(workload, "ModelName")}


#: Everything that keeps something, by workload.
_STATEFUL = {
    "foundation": (
        "BucketsAccessLogBucket9E980A7C",
        "BucketsArtifactBucketC280E8FD",
        "BucketsCheckpointBucketB035B749",
        "EndpointFailuresDeadLetterQueue544E5A9C",
        "KeysDataKeyB0283748",
        "KeysOperationsKey5A964E61",
        "NetworkCloseDefaultSecurityGroupLogGroup022D8CE5",
        "NetworkFlowLogGroup1F868030",
    ),
    **dict.fromkeys(ENDPOINTS, ("EndpointLogGroupF0503913",)),
    "assistant-tune": ("TrainingWorkflowLogGroupC7AE6968",),
    "plant-id-train": ("TrainingScheduleDeadLetterQueue163675C9", "TrainingWorkflowLogGroupC7AE6968"),
}
_LOG_GROUPS = [
    (workload, logical_id)
    for workload, ids in _STATEFUL.items()
    for logical_id in ids
    if "LogGroup" in logical_id
]
_INTERFACE_ENDPOINT = "NetworkInterfaceEndpointsagemakerruntime86D822C9"
_ARTIFACT = "arn:aws:s3:::${FoundationArtifactBucketName}"


def _old_or_new_artifact(direction: str, name: str) -> set[str]:
    return {
        f"{direction}: demo-prod-plant-id: Allow s3:GetObject on {_ARTIFACT}/models/plant-id/{name}",
        f"{direction}: demo-prod-plant-id: Allow s3:ListBucket on {_ARTIFACT} "
        f"if StringLike s3:prefix: models/plant-id/{name}",
    }


def _case(name: str, file: str, old: str, new: str, *says: str) -> ConfigCase:
    return ConfigCase(name, ((file, old, new),), frozenset(says))


AS_IT_IS = ConfigCase("", ())
CASES = (
    _case("a comment", "base.yaml", "platform: demo", "# ours\nplatform: demo"),
    _case("quotes", "base.yaml", "platform: demo", 'platform: "demo"'),
    _case("a map in lines", "base.yaml", "latency: {max_p95_ms: 100}", "latency:\n      max_p95_ms: 100.0"),
    _case("another environment", "dev.yaml", "budget_usd_per_month: 2500", "budget_usd_per_month: 2600"),
    _case("a default written out", "prod.yaml", "policy:\n", "policy:\n  margin: 0\n  denied_families: []\n"),
    _case(
        "what a base says, said again",
        "prod.yaml",
        "network:\n",
        "workloads:\n  support-bert:\n    latency: {max_p95_ms: 100}\nnetwork:\n",
    ),
    _case(
        "budget",
        "prod.yaml",
        "budget_usd_per_month: 8000",
        "budget_usd_per_month: 9000",
        "config: prod policy.budget_usd_per_month 8000 -> 9000",
        "changed: demo-prod-foundation/CostBudget066B6BBF",
        "warning fewer-alerts: demo-prod-foundation CostBudget066B6BBF",
        "warning guardrail-loosened:",
    ),
    _case(
        "description",
        "base.yaml",
        "Sorts support tickets as they arrive",
        "Sorts tickets",
        "config: prod workloads.support-bert.description Sorts support tickets as they arrive -> Sorts tickets",
    ),
    _case(
        "nag packs",
        "prod.yaml",
        "nist-800-53-r5, ",
        "",
        "config: prod policy.nag_packs [aws-solutions, hipaa-security, nist-800-53-r5, pci-dss] "
        "-> [aws-solutions, hipaa-security, pci-dss]",
        "warning guardrail-loosened:",
    ),
    _case(
        "logs for half a year",
        "prod.yaml",
        "log_retention_days: 365",
        "log_retention_days: 180",
        "config: prod policy.log_retention_days 365 -> 180",
        *(f"changed: {_stack(workload)}/{name}" for workload, name in _LOG_GROUPS),
        *(f"warning less-durable: {_stack(workload)} {name}" for workload, name in _LOG_GROUPS),
    ),
    _case(
        "stricter latency",
        "base.yaml",
        "latency: {max_p95_ms: 100}",
        "latency: {max_p95_ms: 20}",
        "notice quota-raised:",
        # The dashboard draws the threshold.
        "changed: demo-prod-foundation/Dashboard",
        "config: prod workloads.support-bert.latency.max_p95_ms 100 -> 20",
        "changed: demo-prod-support-bert/AlarmsModelLatencyP958642BF53",
        "changed: demo-prod-support-bert/EndpointRollbackAlarmsModelLatencyP95E8D0164B",
        *(f"changed: demo-prod-support-bert/{name}" for name in _SCALING),
        *(f"notice costs-more: demo-prod-support-bert {name}" for name in _SCALING),
        # An instance carries less, so that the bounds go from 2-3 to 2-6: three times 0.7364 x 730.
        "cost: prod support-bert +0.00 / +0.00 / +1612.72",
    ),
    _case(
        "three instances at least",
        "prod.yaml",
        "min_endpoint_instances: 2",
        "min_endpoint_instances: 3",
        "notice quota-raised:",
        "config: prod policy.min_endpoint_instances 2 -> 3",
        *(line for workload in ENDPOINTS for line in _new_fleet(workload, "InitialInstanceCount")),
        *(f"changed: {_stack(workload)}/{_SCALING[0]}" for workload in ENDPOINTS),
        *(f"notice costs-more: {_stack(workload)} {_SCALING[0]}" for workload in ENDPOINTS),
        # 1.515, 0.204 and 0.7364 USD per hour; a CPU instance has a disk, too. The peaks of two of them need 3 now, and
        # half as many again is 5.
        "pick: prod assistant ml.g5.2xlarge -> ml.g5.2xlarge",
        "pick: prod plant-id ml.c6i.xlarge -> ml.c6i.xlarge",
        "pick: prod support-bert ml.g4dn.xlarge -> ml.g4dn.xlarge",
        "cost: prod assistant +1105.95 / +1105.95 / +2211.90",
        "cost: prod plant-id +152.39 / +152.39 / +0.00",
        "cost: prod support-bert +537.57 / +537.57 / +1075.14",
    ),
    _case(
        "two zones",
        "prod.yaml",
        "availability_zones: 3",
        "availability_zones: 2",
        "config: prod network.availability_zones 3 -> 2",
        "removed: demo-prod-foundation/NetworkPrivateSubnet32969D732",
        "removed: demo-prod-foundation/NetworkPrivateSubnet3RouteTableB1206304",
        "changed: demo-prod-foundation/ParametersSubnetIds2A7A7BF3",
        "notice other-results: demo-prod-foundation ParametersSubnetIds2A7A7BF3",
        "warning less-available: demo-prod-foundation NetworkInterfaceEndpointsagemakerruntime86D822C9",
        f"changed: demo-prod-foundation/{_INTERFACE_ENDPOINT}",
        *(f"changed: {_stack(workload)}/{_MACHINE}" for workload in JOBS),
        # What the foundation writes down, every workload reads: the models move to the two subnets.
        *(line for workload in ENDPOINTS for line in _new_model(workload, "VpcConfig.Subnets")),
        "warning network-in-use: demo-prod-foundation NetworkPrivateSubnet32969D732",
        # One interface endpoint in one zone less, at 0.01 USD per hour.
        "cost: prod foundation -7.30 / -7.30 / -7.30",
    ),
    _case(
        "an image that nothing runs",
        "base.yaml",
        "tag: 2.6.0-gpu-py312-cu124-ubuntu22.04-sagemaker",
        "tag: 2.6.1-gpu-py312-cu124-ubuntu22.04-sagemaker",
        "config: prod workloads.plant-id.container.images.cuda.tag 2.6.0-gpu-py312-cu124-ubuntu22.04-sagemaker "
        "-> 2.6.1-gpu-py312-cu124-ubuntu22.04-sagemaker",
    ),
    _case(
        "an image that runs",
        "base.yaml",
        "tag: 2.6.0-cpu-py312-ubuntu22.04-sagemaker",
        "tag: 2.6.1-cpu-py312-ubuntu22.04-sagemaker",
        "config: prod workloads.plant-id.container.images.cpu_x86_64.tag 2.6.0-cpu-py312-ubuntu22.04-sagemaker "
        "-> 2.6.1-cpu-py312-ubuntu22.04-sagemaker",
        f"notice model-changed: demo-prod-plant-id {_MODEL}",
        *_new_model("plant-id", "PrimaryContainer.Image"),
    ),
    _case(
        "without Spot",
        "base.yaml",
        "deadline_hours: 24\n    spot: {enabled: true}",
        "deadline_hours: 24\n    spot: {enabled: false}",
        "notice quota-raised:",
        "config: prod workloads.plant-id-train.spot.enabled true -> false",
        f"changed: demo-prod-plant-id-train/{_MACHINE}",
        f"warning costs-more: demo-prod-plant-id-train {_MACHINE}",
        # One attempt takes the time of all, and the steps of an interrupted job go with what is told of it.
        f"notice slower-recovery: demo-prod-plant-id-train {_MACHINE}",
        f"notice fewer-alerts: demo-prod-plant-id-train {_MACHINE}",
        # Without Spot, no attempt has a time to wait.
        f"notice less-available: demo-prod-plant-id-train {_MACHINE}",
        # At the most, no run finds Spot capacity: then it costs the same, but for the interruptions.
        "cost: prod plant-id-train +174.83 / +174.83 / -0.02",
    ),
    _case(
        "checkpoints half as often",
        "base.yaml",
        "checkpoint: {interval_minutes: 15}",
        "checkpoint: {interval_minutes: 30}",
        "config: prod workloads.plant-id-train.checkpoint.interval_minutes 15 -> 30",
        f"changed: demo-prod-plant-id-train/{_MACHINE}",
        f"notice slower-recovery: demo-prod-plant-id-train {_MACHINE}",
        # More of the work is done again after an interruption.
        "cost: prod plant-id-train +0.00 / +0.00 / +0.01",
    ),
    _case(
        "another weekday",
        "base.yaml",
        "weekday: SAT",
        "weekday: SUN",
        "config: prod workloads.plant-id-train.schedule.weekday SAT -> SUN",
        "changed: demo-prod-plant-id-train/TrainingSchedule42D85A11",
        "notice schedule-changed: demo-prod-plant-id-train TrainingSchedule42D85A11",
    ),
    _case(
        "more epochs for the script",
        "base.yaml",
        "hyperparameters: {epochs: 90}",
        "hyperparameters: {epochs: 91}",
        "config: prod workloads.plant-id-train.container.hyperparameters.epochs 90 -> 91",
        f"changed: demo-prod-plant-id-train/{_MACHINE}",
        f"warning costs-more: demo-prod-plant-id-train {_MACHINE}",
    ),
    _case(
        "somebody to tell",
        "prod.yaml",
        "notifications:\n",
        "notifications:\n  emails: [ml@example.com]\n",
        "config: prod notifications.emails [] -> [ml@example.com]",
        "added: demo-prod-foundation/TopicsEmailmlexamplecom559AF70F",
        "notice fewer-alerts: demo-prod-foundation TopicsEmailmlexamplecom559AF70F",
    ),
    _case(
        "nothing stays",
        "prod.yaml",
        "removal: retain",
        "removal: destroy",
        "config: prod policy.removal retain -> destroy",
        *(
            line
            for workload, names in _STATEFUL.items()
            for name in names
            for line in (
                f"changed: {_stack(workload)}/{name}",
                # A bucket that holds anything is not deleted.
                f"{'warning' if 'Bucket' in name else 'danger'} removal-policy-weakened: {_stack(workload)} {name}",
            )
        ),
    ),
    _case(
        "another model",
        "base.yaml",
        "artifact: {key: models/plant-id/model.tar.gz}",
        "artifact: {key: models/plant-id/v2.tar.gz}",
        "config: prod workloads.plant-id.container.artifact.key models/plant-id/model.tar.gz "
        "-> models/plant-id/v2.tar.gz",
        f"notice model-changed: demo-prod-plant-id {_MODEL}",
        "changed: demo-prod-plant-id/EndpointModelRolePolicy522A5F2E",
        *_old_or_new_artifact("narrowed", "model.tar.gz"),
        *_old_or_new_artifact("broadened", "v2.tar.gz"),
        *_new_model("plant-id", "PrimaryContainer.ModelDataSource.S3DataSource.S3Uri"),
    ),
)
