"""What SageMaker does for a serving image, done elsewhere: the model is loaded, and a proxy keeps SageMaker's limits.

``load_model.py`` runs in a container of its own; nothing of ours imports it. ``proxy.py`` configures the proxy.
"""

from pathlib import Path

#: The program that loads a model before its server starts: it runs in the image of the model.
LOADER = Path(__file__).with_name("load_model.py")
