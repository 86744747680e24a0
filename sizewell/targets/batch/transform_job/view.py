"""What people see of a batch transform that AWS Batch runs."""

from sizewell.targets.batch.jobs_view import notes_of_jobs, room_words
from sizewell.targets.view import view_of_transform

FACET = view_of_transform("AWS Batch", notes_of_jobs, room_words)
