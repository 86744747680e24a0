"""Everything that is said of a Lambda function."""
