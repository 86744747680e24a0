"""The rules, one file for each theme."""
