"""Features of a terrain: bumps, potholes, curbs and their kernels."""
