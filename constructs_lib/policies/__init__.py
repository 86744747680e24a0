"""IAM statements and roles, and the findings about them that are acknowledged."""
