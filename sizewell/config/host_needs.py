"""What an instance must have, where no model says it."""

from typing import Annotated

from pydantic import Field

from sizewell.config.effects import OnNumber, SelectionNeed

_ON_NEED = OnNumber("a smaller type may do", "may need a larger type")
Vcpus = Annotated[int, Field(ge=1, le=1024), _ON_NEED, SelectionNeed.LOAD]
MemoryGib = Annotated[float, Field(ge=0.5, le=65_536), _ON_NEED, SelectionNeed.LOAD]
Accelerators = Annotated[int, Field(ge=0, le=16), _ON_NEED, SelectionNeed.LOAD]
