"""What builds each mode: the kind of workload that an endpoint becomes when the plan has taken a mode for it."""

from collections.abc import Callable, Mapping

from sizewell.config.endpoint import RealTimeEndpoint
from sizewell.config.mode_endpoint import ModeEndpoint
from sizewell.config.served_model import ServedModel
from sizewell.instance_selection.modes import Mode


def _as_real_time(endpoint: ModeEndpoint) -> RealTimeEndpoint:
    fields = RealTimeEndpoint.model_fields.keys() - {"kind"}
    # Not validated again: all of it is, and what is stated must remain what is stated.
    return RealTimeEndpoint.model_construct(
        _fields_set=endpoint.model_fields_set & fields,
        kind="real-time-endpoint",
        **{name: getattr(endpoint, name) for name in fields},
    )


_OF_MODE: Mapping[Mode, Callable[[ModeEndpoint], ServedModel]] = {Mode.REAL_TIME: _as_real_time}


def stated_in_mode(endpoint: ModeEndpoint, mode: Mode) -> ServedModel:
    """Return the workload that an endpoint is in a mode, as if the configuration had stated its kind."""
    return _OF_MODE[mode](endpoint)
