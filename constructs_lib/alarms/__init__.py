"""CloudWatch alarms on endpoints and functions, and the message of an endpoint that failed."""
