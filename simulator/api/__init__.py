"""Public Python API for programs and notebooks. Users import the names from `simulator`."""
