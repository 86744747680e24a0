"""State machines of Step Functions: what starts them, what they report, and to whom."""
