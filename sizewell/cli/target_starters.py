"""The starters of a cluster, and of a workload that runs in one."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from sizewell.cli.errors import exit_with
from sizewell.config.base import with_article
from sizewell.config.cluster import TargetKind
from sizewell.config.faults import near_match
from sizewell.config.printable import printable_word
from sizewell.targets.registry import file_of_target, target_facet, target_names


def free_name(name: str, taken: Mapping[str, str | None]) -> str:
    """Return a name that is not taken: the one given, or with a number."""
    if name not in taken:
        return name
    return next(
        numbered for number in range(2, len(taken) + 3) if (numbered := f"{name}-{number}") not in taken
    )


@dataclass(frozen=True)
class StarterTarget:
    """Where starters run."""

    cluster: str
    """The key of the cluster."""
    type: str
    cluster_text: str = ""
    """Its starter, where the configuration does not have it."""

    def runs(self, kind: str) -> bool:
        """Return whether workloads of a kind run there."""
        return kind in target_facet(self.type, TargetKind).runs

    def check_runs(self, kind: str) -> None:
        """End the command where workloads of a kind do not run there."""
        target = target_facet(self.type, TargetKind)
        if kind not in target.runs:
            exit_with(
                f"{with_article(target.words)} does not run {with_article(kind)}, but {', '.join(sorted(target.runs))}: "
                "without --target it runs in SageMaker"
            )

    def starter(self, text: str, kind: str) -> str:
        """Return the starter of a workload that runs there: without the keys that have no effect there."""
        keys = "|".join(map(re.escape, target_facet(self.type, TargetKind).runs[kind].lacks))
        # A key with the comment above it, and what it holds.
        kept = re.sub(rf"(?m)(^ {{4}}#.*\n)*^ {{4}}({keys}):.*\n(^ {{5}}.*\n)*", "", text)
        return re.sub(rf"(?m)^ {{4}}kind: {re.escape(kind)}\n", rf"\g<0>    target: {self.cluster}\n", kept)


def starter_target(target: str, clusters: Mapping[str, str | None]) -> StarterTarget:
    """Return the cluster that a user names: one of a configuration, or a type, of which there is one at most."""
    types = target_names()
    if target in clusters:
        if (known := clusters[target]) not in types:
            exit_with(f"the cluster {target} states no type: write one of {', '.join(types)}")
        return StarterTarget(target, known)
    if target not in types:
        names = (*clusters, *types)
        match = near_match(target, names)
        hint = f"\ndid you mean {match}?" if match else ""
        there = f"there are: {', '.join(clusters)}; " if clusters else ""
        exit_with(
            f'there is no cluster "{printable_word(target)}"; {there}write {", ".join(types)} to add an example of one{hint}'
        )
    of_type = [name for name, known in clusters.items() if known == target]
    if len(of_type) > 1:
        exit_with(f"{' and '.join(of_type)} are clusters of type {target}: name one of them")
    if of_type:
        return StarterTarget(of_type[0], target)
    text = file_of_target(target, "starter.yaml").read_text("utf-8")
    (example,) = re.findall(r"(?m)^  ([\w-]+):", text)
    name = free_name(example, clusters)
    return StarterTarget(name, target, text.replace(f"  {example}:", f"  {name}:"))
