"""What an endpoint serves, and from where it can reach what it needs."""

from collections.abc import Iterator, Mapping
from typing import Any

from sizewell.review.hazards.rule import Environment, Found, hazard_rule
from sizewell.review.words import moved, shown
from sizewell.templates.endpoints import EndpointChange
from sizewell.templates.template import Resource
from sizewell.templates.values import mapping, maps

_VERSION_KEYS = ("Image", "ModelDataUrl", "ModelDataSource", "ModelPackageName")
_NETWORK_KEYS = ("Subnets", "SecurityGroupIds")


def _models(endpoint: EndpointChange) -> Iterator[tuple[str, Resource, Resource]]:
    """Yield the variants whose model differs, with it on both sides."""
    for name in sorted(endpoint.base.models.keys() & endpoint.head.models.keys()):
        base, head = endpoint.base.models[name], endpoint.head.models[name]
        if base.properties != head.properties:
            yield name, base, head


@hazard_rule("correctness")
def model_changed(environment: Environment) -> Iterator[Found]:
    """Another image or artifact goes live."""
    for endpoint in environment.diff.kept_endpoints:
        for name, base, head in _models(endpoint):
            before, after = _version(base), _version(head)
            causes = [
                f"{key} {moved(before.get(key), after.get(key))}"
                for key in sorted({*before, *after})
                if before.get(key) != after.get(key)
            ]
            if causes:
                yield Found(
                    "notice",
                    endpoint.stack,
                    head.logical_id,
                    f"variant {name} of {endpoint.subject}",
                    "; ".join(causes),
                    "After this deployment another version of the model or of its container answers the requests.",
                    "Make sure that the image and the artifact exist and were tested together. Keep the old artifact as long "
                    "as you may want to roll back.",
                )


def _version(model: Resource) -> dict[str, str]:
    """Return what a model is made of: image, artifact or package of each container."""
    containers = [("", mapping(model.properties.get("PrimaryContainer")))]
    containers += [
        (f"{index + 1}: ", container) for index, container in maps(model.properties.get("Containers"))
    ]
    return {
        f"{place}{key}": _written(container[key])
        for place, container in containers
        for key in _VERSION_KEYS
        if key in container
    }


def _written(value: Any) -> str:
    """Return where an artifact is; its whole source only where it has no S3 URI."""
    source: Mapping[str, Any] = mapping(mapping(value).get("S3DataSource"))
    return source["S3Uri"] if isinstance(source.get("S3Uri"), str) else shown(value)


@hazard_rule("correctness")
def models_of_endpoint_changed(environment: Environment) -> Iterator[Found]:
    """An endpoint of one model serves several, or the reverse; or every request loads its model anew."""
    for endpoint in environment.diff.kept_endpoints:
        for name, base, head in _models(endpoint):
            before, after = (mapping(side.properties.get("PrimaryContainer")) for side in (base, head))
            subject = f"variant {name} of {endpoint.subject}"
            modes = [container.get("Mode", "SingleModel") for container in (before, after)]
            if modes[0] != modes[1]:
                yield Found(
                    "danger",
                    endpoint.stack,
                    head.logical_id,
                    subject,
                    f"Mode {moved(*modes)}",
                    "A multi-model endpoint answers only requests with TargetModel, and any other endpoint only requests "
                    "without it. Callers fail until they change, too.",
                    "Add a second workload, move the callers, and remove the old workload in a later deployment.",
                )
            elif _keeps_models(before) and not _keeps_models(after):
                yield Found(
                    "warning",
                    endpoint.stack,
                    head.logical_id,
                    subject,
                    "ModelCacheSetting Disabled",
                    "SageMaker unloads a model as soon as it has answered. Every request waits until its model is loaded.",
                    "Disable the cache only if callers use each model once.",
                )


def _keeps_models(container: Mapping[str, Any]) -> bool:
    return mapping(container.get("MultiModelConfig")).get("ModelCacheSetting") != "Disabled"


@hazard_rule("availability")
def model_network_changed(environment: Environment) -> Iterator[Found]:
    """A model runs in other subnets or security groups."""
    for endpoint in environment.diff.kept_endpoints:
        for name, base, head in _models(endpoint):
            before, after = (mapping(side.properties.get("VpcConfig")) for side in (base, head))
            causes = [
                f"{key} {moved(before.get(key), after.get(key))}"
                for key in _NETWORK_KEYS
                if before.get(key) != after.get(key)
            ]
            if causes:
                yield Found(
                    "warning",
                    endpoint.stack,
                    head.logical_id,
                    f"variant {name} of {endpoint.subject}",
                    "; ".join(causes),
                    "The model is replaced, and its new instances start in another network. If they cannot reach Amazon S3 and "
                    "Amazon ECR from there, they fail their health check and the update rolls back.",
                    "Make sure that the subnets have free addresses and routes or VPC endpoints to S3 and ECR, and that "
                    "the security groups let them through.",
                )
