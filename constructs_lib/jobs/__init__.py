"""Jobs that end, and pipelines of them: training, tuning, processing, batch transform."""
