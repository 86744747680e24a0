"""Everything that is said of an asynchronous endpoint."""
