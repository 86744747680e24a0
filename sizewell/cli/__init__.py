"""The ``sizewell`` command: thin, and without the CDK kernel."""
