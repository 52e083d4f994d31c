"""Rigid axles on leaf springs, which also locate the axle."""
