"""What a change does to the bill of one environment: every resource priced by its template, unknown is never zero.

Prices of instances come from the plan of each side, or from the catalog where there is none; all others from
``sizewell.facts.service_prices``, as in the bill of a plan, which knows all that our own stacks create. A resource type has
a function that prices it, or a row in ``free_types.csv`` that says why it costs nothing; every other type is named as not
priced. Allowances of an account (the first alarms, requests and dashboards) are not deducted: other stacks may use them.
"""

from sizewell.review.cost.comparison import compare_costs

__all__ = ["compare_costs"]
