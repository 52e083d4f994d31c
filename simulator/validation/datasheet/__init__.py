"""Datasheet of a vehicle: mass, geometry, ride, handling, acceleration and braking, with published values."""
