"""What SageMaker does for a serving image, done on EKS: the model is loaded, and a proxy keeps SageMaker's limits.

``load_model.py`` runs in an init container; nothing of ours imports it. ``proxy.py`` configures the sidecar.
"""
