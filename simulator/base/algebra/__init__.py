"""Algebra for kernels: vectors and spatial vectors on tuples, small dense linear systems, Hermite interpolation."""
