"""The manifests beside the templates, as stacks: objects of Kubernetes are compared, judged and priced as resources are.

An object of the kind ``Deployment`` has the type ``Kubernetes::Deployment``; its fields are its properties. The objects of a
workload are a stack below that of the workload.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from sizewell.planning.saved_plan import SavedPlan
from sizewell.review.cluster_objects import FOLDER, TYPE_PREFIX
from sizewell.review.saved.inside import is_inside, leads_out
from sizewell.templates.template import Stack

#: What is no object of a cluster.
_NO_OBJECTS = {"Kustomization"}
_NOT_FIELDS = ("apiVersion", "kind")


def manifest_stacks(directory: Path, plan: SavedPlan | None, faults: list[str]) -> Iterator[Stack]:
    """Yield a stack for each workload, and one for what workloads of a cluster share; adds to ``faults`` what cannot be read."""
    if plan is None or not (directory / FOLDER).is_dir():
        return
    workloads = {workload.name: workload.stack_name for workload in plan.workloads}
    for cluster in sorted(path for path in (directory / FOLDER).iterdir() if path.is_dir()):
        yield _stack(f"{plan.foundation.stack_name}/{cluster.name}", cluster, directory, plan, faults)
        for folder in sorted(path for path in cluster.iterdir() if path.is_dir()):
            name = workloads.get(folder.name, folder.name)
            yield _stack(f"{name}/{cluster.name}", folder, directory, plan, faults)


def _stack(name: str, folder: Path, output: Path, plan: SavedPlan, faults: list[str]) -> Stack:
    resources: dict[str, Any] = {}
    for path in sorted(folder.glob("*.yaml")):
        manifest = _read(path, output, faults)
        kind = manifest.get("kind")
        if kind is not None and kind not in _NO_OBJECTS:
            fields = {key: value for key, value in manifest.items() if key not in _NOT_FIELDS}
            resources[_logical_id(path)] = {"Type": f"{TYPE_PREFIX}{kind}", "Properties": fields}
    return Stack(name=name, account=plan.account, region=plan.region, template={"Resources": resources})


def _logical_id(path: Path) -> str:
    """Return what an object is called on both sides, whatever its name in the cluster: that of its file."""
    return "".join(word.capitalize() for word in path.stem.split("-"))


def _read(path: Path, output: Path, faults: list[str]) -> Mapping[str, Any]:
    import yaml  # only here: most outputs have no manifests

    if not is_inside(path, output):
        faults.append(leads_out(path))
        return {}
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        text = path.read_text("utf-8")
        # Ten lines of nested aliases can stand for billions of values ("billion laughs"). Sizewell writes none.
        if "&" in text and any(
            isinstance(event, yaml.AliasEvent) for event in yaml.parse(text, Loader=loader)
        ):
            faults.append(f"{path}: has an alias, which Sizewell never writes; write the value in its place")
            return {}
        document = yaml.load(text, Loader=loader)
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        faults.append(f"{path}: cannot be read: {' '.join(str(error).split())}")
        return {}
    return document if isinstance(document, Mapping) else {}
