"""SageMaker: models, endpoint configurations, endpoints, jobs. Every request is checked against botocore's model first."""
