"""Trainings and batch transforms by AWS Batch on instances of EC2, in a cluster of Amazon ECS that Batch makes."""
