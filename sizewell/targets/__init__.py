"""The places beside SageMaker that workloads run in: one folder each, found by being there.

What is decided alike in all of them lies in ``serving``, ``training`` and ``transforming``; what runs in a container, beside the
model or around the script, in ``contract``.
"""
