"""What all workloads of an environment share: network, keys, buckets, topics, and the parameters that publish them."""
