"""Compliance of an axle: displacements of the wheels by bushings of arms, top mounts and a subframe, in addition to the exact
kinematics."""
