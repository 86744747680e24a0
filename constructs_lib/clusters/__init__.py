"""What workloads in clusters need of the account."""
