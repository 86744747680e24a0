"""Notebook instances, and the script that stops an idle one."""
