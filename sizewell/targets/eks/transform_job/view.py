"""What people see of a batch transform in a cluster."""

from sizewell.targets.eks.pods_view import room_words
from sizewell.targets.eks.runs_view import notes_of_runs
from sizewell.targets.view import view_of_transform

FACET = view_of_transform("the pool", notes_of_runs, lambda plan: room_words(plan.pod))
