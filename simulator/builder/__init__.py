"""Builder of the parts of a session from a configuration, and warm-up of the kernels."""
