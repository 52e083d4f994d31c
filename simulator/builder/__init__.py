"""Build the parts of a session from a configuration; warm up the kernels."""
