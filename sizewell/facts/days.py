"""How days are written: as texts whose order is that of the days, so that nothing needs a calendar."""

#: YYYY-MM-DD.
DAY_PATTERN = r"^20[0-9]{2}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])$"
