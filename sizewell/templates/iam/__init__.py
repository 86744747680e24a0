"""Statements of IAM policies, and which permissions cover which."""
