"""Why a difference of shape matters; ``{environment}`` and ``{reference}`` stand for the names of both."""

from collections.abc import Collection

from sizewell.review.parity.settings import SettingPath

#: By a part of a name in the path; the first row that fits decides.
_SETTINGS = (
    (("KmsKey", "KmsData", "KMSMasterKey", "Encrypt", "SSEAlgorithm"), "only {reference} shows who may use the key"),
    (("NetworkIsolation",), "code that needs the network fails only where it is isolated"),
    (("SpotTraining", "managed_spot", "capacity-type"), "the first interruptions happen in {reference}"),
    (("CheckpointConfig",), "the first resume from a checkpoint happens in {reference}"),
    (("AutoRollback", "DeploymentConfig", "BlueGreen", "RollingUpdate"),
     "only one of {environment} and {reference} tests the rollout"),
    (("TreatMissingData",), "the alarm behaves differently without traffic"),
    (("AlarmActions", "OKActions", "InsufficientDataActions", "ActionsEnabled"), "it notifies other recipients or nobody"),
    (("SecurityGroup", "Cidr", "VpcConfig", "PublicAccess", "Ingress", "Egress"), "the two reach different things"),
    (("ModelDataSource", "ModelDataUrl", "ModelPackage"), "{environment} tests another model than {reference} serves"),
    (("HyperParameters", "hyperparameters", "InputDataConfig", "AlgorithmSpecification"), "{environment} trains differently"),
    (("Environment",), "the container runs with other settings"),
    (("Code", "Handler", "Runtime", "Layers"), "{environment} tests other code than {reference} runs"),
    (("Policies", "Polic", "Grant"), "the two allow different things"),
    (("pod-security", "securityContext"), "an image that needs root fails only where the pod security standard is restricted"),
    (("Schedule", "suspend"), "the two start it differently"),
)  # fmt: skip
_OTHER = "this is not a size: {environment} behaves differently from {reference}"
#: By the end of a resource type.
_RESOURCES = (
    ("::Alarm", "nobody has tested that this alarm stays quiet while all is well"),
    ("::ScalableTarget", "the first scaling happens in {reference}"),
    ("::ScalingPolicy", "the first scaling happens in {reference}"),
    ("::Schedule", "it runs on a schedule in only one of them"),
    ("::DeploymentGroup", "the first rollout happens in {reference}"),
)

HARDWARE = "another kind of hardware runs another image, which may not start although the other one does"
IMAGE = "{environment} tests another image than {reference} runs"
PERMISSION = "one may refuse what the other allows"
ONLY_OURS = "{environment} depends on something that {reference} does not have"
MISSING_STACK = "{reference} runs something that {environment} never tests"
TYPE = "another service does the work"
SIZE = "other hardware of the same kind"
UNKNOWN_HARDWARE = "probably another size: the catalog does not have one of the types"
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
        "{reference} has something that {environment} never tests",
    )
