"""Why a difference of shape matters; ``{environment}`` and ``{reference}`` stand for the names of both."""

from collections.abc import Collection

from sizewell.review.parity.settings import SettingPath

#: By a part of a name in the path; the first row that fits decides.
_SETTINGS = (
    (("KmsKey", "KmsData", "KMSMasterKey", "Encrypt", "SSEAlgorithm"), "who may use the key is found out in {reference}"),
    (("NetworkIsolation",), "code that needs the network fails behind isolation only"),
    (("SpotTraining",), "interruptions are met for the first time in {reference}"),
    (("CheckpointConfig",), "resuming from a checkpoint is met for the first time in {reference}"),
    (("AutoRollback", "DeploymentConfig", "BlueGreen", "RollingUpdate"),
     "the rollout is rehearsed on {environment}, or in {reference}"),
    (("TreatMissingData",), "the alarm behaves otherwise when there is no traffic"),
    (("AlarmActions", "OKActions", "InsufficientDataActions", "ActionsEnabled"), "somebody else hears of it, or nobody"),
    (("SecurityGroup", "Cidr", "VpcConfig", "PublicAccess", "Ingress", "Egress"), "what cannot be reached differs"),
    (("ModelDataSource", "ModelDataUrl", "ModelPackage"), "{environment} tests another model than {reference} serves"),
    (("HyperParameters", "hyperparameters", "InputDataConfig", "AlgorithmSpecification"), "{environment} trains in another way"),
    (("Environment",), "the container runs with other settings"),
    (("Code", "Handler", "Runtime", "Layers"), "{environment} tests other code than {reference} runs"),
    (("Policies", "Polic", "Grant"), "what is allowed differs"),
    (("Schedule",), "it is started in another way"),
)  # fmt: skip
_OTHER = "not a size: {environment} behaves otherwise than {reference}"
#: By the end of a resource type.
_RESOURCES = (
    ("::Alarm", "nobody has seen whether this alarm is quiet when all is well"),
    ("::ScalableTarget", "scaling is met for the first time in {reference}"),
    ("::ScalingPolicy", "scaling is met for the first time in {reference}"),
    ("::Schedule", "it does not run by itself on both"),
    ("::DeploymentGroup", "the rollout is met for the first time in {reference}"),
)

HARDWARE = "another kind of hardware runs another image: what works on one may not start on the other"
IMAGE = "{environment} tests another image than {reference} runs"
PERMISSION = "what is allowed on one may be refused on the other"
ONLY_OURS = "{environment} leans on something that {reference} does not have"
NOTEBOOK = "notebooks are for development: that {reference} has none is a policy"
MISSING_STACK = "{reference} runs something that {environment} never tries"
TYPE = "another service does the work"
SIZE = "other hardware of the same kind"
UNKNOWN_HARDWARE = "another size, as far as the catalog of instance types knows"
TRIES = "how many instance types are tried is a size"
ZONES = "the number of zones is a size"


def setting_reason(path: SettingPath) -> str:
    """Return why another value matters."""
    return next(
        (why for parts, why in _SETTINGS if any(part in name for part in parts for name in path)), _OTHER
    )


def missing_reason(resource_types: Collection[str], *, in_reference: bool) -> str:
    """Return why resources that only one side has matter."""
    if not in_reference:
        return ONLY_OURS
    return next(
        (why for ending, why in _RESOURCES if any(name.endswith(ending) for name in resource_types)),
        "{reference} has something that {environment} never tries",
    )
