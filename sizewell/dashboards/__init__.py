"""What people see of the workloads of an environment: graphs of CloudWatch metrics, as plain data."""
