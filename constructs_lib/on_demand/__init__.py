"""Endpoints without instances: serverless endpoints and Lambda functions."""
