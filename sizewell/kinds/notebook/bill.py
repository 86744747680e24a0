"""What AWS bills for a notebook."""

from sizewell.kinds.notebook.plan_model import NotebookPlan
from sizewell.planning.bill_items import SAGEMAKER, bill_line, instance_item, priced_item
from sizewell.planning.bill_plan import BillLine
from sizewell.planning.kind import BillKind


def notebook_line(notebook: NotebookPlan, region: str) -> BillLine:
    """Return a month of a notebook: its hours of use, and its volume, which is there all the time."""
    items = [
        instance_item(f"{notebook.instance_type} notebook", notebook.selection.chosen.cost),
        priced_item(
            region,
            SAGEMAKER,
            "notebook volumes",
            "notebook_volume_gb_month",
            notebook.volume_size_gib,
            is_fixed=True,
        ),
    ]
    return bill_line(notebook.name, items, ("EventBridge schedules",))


FACET = BillKind(line=notebook_line)
