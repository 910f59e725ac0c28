"""From a study to its launches. Light to import: reading a study file is in `sweetspot.plan.study`."""

from sweetspot.plan.describe import describe
from sweetspot.plan.document import Dropped, Estimate, Launch, Plan, Variant, Workload
from sweetspot.plan.grid import entry
from sweetspot.plan.launches import plan_study
from sweetspot.plan.order import priority

__all__ = [
    "Dropped",
    "Estimate",
    "Launch",
    "Plan",
    "Variant",
    "Workload",
    "describe",
    "entry",
    "plan_study",
    "priority",
]
