"""Axle from a mechanism file: the general way to define a suspension without kernels of its own."""
