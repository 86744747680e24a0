"""Everything that is said of a training job."""
