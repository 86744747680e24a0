"""The manifests of each cluster as files: for ``kubectl apply -k``, Argo CD or Flux."""

from pathlib import PurePosixPath
from typing import Any

import yaml

from sizewell.planning.plan import DeploymentPlan
from sizewell.targets.eks.manifests.workload import shared_manifests, workload_manifests
from sizewell.targets.eks.pods_plan_model import EksClusterPlan, EksPlan
from sizewell.targets.files import FilesKind

_SMOKE = """\
#!/usr/bin/env bash
# Asks the API server of the cluster whether it takes these manifests. Nothing is changed.
set -euo pipefail
cd "$(dirname "$0")"
kubectl get namespace {namespace} >/dev/null || {{
    echo "Create the namespace first: kubectl apply -f namespace.yaml" >&2
    exit 1
}}
{created}exec kubectl apply --dry-run=server -k .
"""


def _files(plan: DeploymentPlan) -> dict[PurePosixPath, str]:
    clusters: dict[str, EksClusterPlan] = {}
    workloads: dict[str, list[str]] = {}
    created: dict[str, list[str]] = {}
    found: dict[PurePosixPath, str] = {}
    for workload in plan.of(EksPlan):
        cluster = workload.cluster
        clusters[cluster.key] = cluster
        workloads.setdefault(cluster.key, []).append(workload.name)
        tags = {**plan.tags, "platform": plan.platform, "environment": plan.environment, **workload.tags}
        manifests = workload_manifests(workload, plan.foundations[workload.place], tags)
        found |= _folder(PurePosixPath(cluster.key, workload.name), manifests)
        created.setdefault(cluster.key, []).extend(
            f"{workload.name}/{name}.yaml"
            for name, manifest in manifests.items()
            if not _is_applied(manifest)
        )
    for key, cluster in clusters.items():
        found |= _folder(PurePosixPath(key), shared_manifests(cluster), *workloads[key])
        commands = "".join(f"kubectl create --dry-run=server -f {path}\n" for path in created[key])
        found[PurePosixPath(key, "smoke.sh")] = _SMOKE.format(namespace=cluster.namespace, created=commands)
    return found


def _folder(
    path: PurePosixPath, manifests: dict[str, dict[str, Any]], *folders: str
) -> dict[PurePosixPath, str]:
    applied = [name for name, manifest in manifests.items() if _is_applied(manifest)]
    resources = [*(f"{name}.yaml" for name in applied), *folders]
    kustomization = {
        "apiVersion": "kustomize.config.k8s.io/v1beta1",
        "kind": "Kustomization",
        "resources": resources,
    }
    documents = {**manifests, "kustomization": kustomization}
    return {path / f"{name}.yaml": _text(document) for name, document in documents.items()}


def _is_applied(manifest: dict[str, Any]) -> bool:
    """Return whether ``kubectl apply`` takes an object: of one without a name, people create another one each time."""
    return "name" in manifest["metadata"]


class _Dumper(yaml.SafeDumper):
    """Writes long texts as they are, and equal parts each where it belongs."""

    def ignore_aliases(self, data: Any) -> bool:
        """Return that no part is written as a reference to another one."""
        return True


def _lines(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    style = "|" if "\n" in text else None
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)


_Dumper.add_representer(str, _lines)


def _text(document: dict[str, Any]) -> str:
    return yaml.dump(document, Dumper=_Dumper, sort_keys=False, width=120, allow_unicode=True)


FACET = FilesKind(files=_files)
