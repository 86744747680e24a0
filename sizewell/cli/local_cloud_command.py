"""``sizewell deploy-local`` and ``destroy-local``: the commands of the local cloud, a distribution of its own."""

from sizewell.cli.output import tell


def run_local_cloud(arguments: list[str]) -> int:
    """Run a command of the local cloud; return its exit code: 2 where it is not installed."""
    try:
        from sizewell_localcloud.__main__ import main
    except ModuleNotFoundError:
        from sizewell.cli.package_source import local_cloud_requirement

        tell(f"the local cloud is not installed; run: pip install '{local_cloud_requirement()}'")
        return 2
    return main(arguments)
