"""The app that is made where a network has not been looked up: it asks, and builds nothing."""

from pathlib import Path
from typing import Any

from aws_cdk import App, ContextProvider, Environment, Stack

from sizewell.planning.foundation_plan_model import NetworkLookup
from sizewell.stacks.platform import synthesizer

#: No stack of a platform is called so: those begin with its name.
_STACK = "SizewellNetworkLookup"


def ask_for_network(lookup: NetworkLookup, context: dict[str, Any]) -> None:
    """Write an output that only says what is missing: the CDK CLI looks it up, and starts the app again.

    The CLI asks with the lookup role of the bootstrap, which the stack names.
    """
    app = App(analytics_reporting=False, context=context)
    stack = Stack(
        app,
        _STACK,
        env=Environment(account=lookup.account, region=lookup.region),
        synthesizer=synthesizer(lookup.bootstrap),
    )
    ContextProvider.get_value(stack, provider=lookup.provider, props=lookup.props, dummy_value=None)
    app.synth()


def remove_question(directory: Path) -> None:
    """Remove the files of the stack that asked from an output that holds the answer."""
    for path in directory.glob(f"{_STACK}.*"):
        path.unlink()
