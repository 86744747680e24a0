"""The example of a cluster, with managed node groups in place of Karpenter."""

_CHANGES = {
    "    nodes: karpenter\n": "    nodes: node-groups\n",
    "    ami: al2023@v20260917\n": (
        "    release_version: 1.35.2-20260917\n"
        "    subnet_ids: [subnet-0123456789abcdef0, subnet-0123456789abcdef1]\n"
    ),
    "interruption-queue]": "cluster-autoscaler]",
    "    spot: {enabled: true}\n": "    spot: {enabled: true, on_demand_fallback: false}\n",
}


def with_node_groups(base: str) -> str:
    """Return the text of base.yaml so changed."""
    for written, instead in _CHANGES.items():
        assert base.count(written) == 1, written
        base = base.replace(written, instead)
    return base
