"""AWS Batch on EC2: environments, queues, definitions, and jobs that come to an end as a test orders it."""
