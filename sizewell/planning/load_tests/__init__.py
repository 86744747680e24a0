"""Load tests of endpoints, as the tools that ran them report them: one module for each tool."""
