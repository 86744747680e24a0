"""All faulty templates."""

from importlib import import_module

from tests.checks.fault_collection import FAULTS

for part in (
    "serverless",
    "scaling",
    "deployment",
    "alarms",
    "schedules",
    "states",
    "training",
    "names_and_offers",
    "networks",
):
    import_module(f"tests.checks.faults_of_{part}")

__all__ = ["FAULTS"]
