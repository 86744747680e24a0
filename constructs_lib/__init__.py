"""L3 constructs from plain typed props: they build what they are told and decide nothing."""
