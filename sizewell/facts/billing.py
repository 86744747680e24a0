"""How AWS counts what it bills."""

from sizewell.facts.durations import HOUR_S

#: 365 x 24 / 12, the convention of the AWS Pricing Calculator.
HOURS_PER_MONTH = 730
SECONDS_PER_MONTH = HOURS_PER_MONTH * HOUR_S
HOURS_PER_WEEK = 7 * 24
