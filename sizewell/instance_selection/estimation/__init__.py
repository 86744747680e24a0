"""Physics with few, stated efficiencies: memory, latency and duration from the spec sheet of the hardware."""
