"""The checks, a module for each subject: its ``RULES``, and ``check``, which yields what breaks them."""
