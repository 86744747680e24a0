from sizewell.facts.serving_modes import Mode as Mode

from .comparison import compare_modes as compare_modes
from .needs import ModeNeeds as ModeNeeds
from .results import BreakEven as BreakEven
from .results import CostPart as CostPart
from .results import ModeComparison as ModeComparison
from .results import ModeMiss as ModeMiss
from .results import ModeOption as ModeOption
