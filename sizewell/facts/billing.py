"""How AWS counts what it bills."""

#: 365 x 24 / 12, the convention of the AWS Pricing Calculator.
HOURS_PER_MONTH = 730
HOURS_PER_WEEK = 7 * 24
