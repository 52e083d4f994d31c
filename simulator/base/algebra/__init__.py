"""Algebra for kernels, for everybody: vectors and spatial vectors on tuples, small dense systems, cubic splines."""
