"""Endpoints on instances: their models, roles, callers and deployment."""
