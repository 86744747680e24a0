"""Why a workload runs on another instance type, or would."""

from sizewell.review.selection.changes import compare_selections

__all__ = ["compare_selections"]
