"""A cloud on loopback for the real ``cdk`` command: an emulator with a plugin of ours, for tests and newcomers."""
