"""Everything that is said of a processing job."""
