"""Why there is nothing to synthesize."""


class SynthesisError(Exception):
    """The files of a side cannot be had, or nothing can be started; says what to do."""
