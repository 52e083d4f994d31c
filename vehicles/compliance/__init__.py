"""Compliance of axles: wheel displacements by bushings of arms, top mounts and a subframe."""
