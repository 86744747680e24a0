"""The rules of the security section, a module for each subject."""
