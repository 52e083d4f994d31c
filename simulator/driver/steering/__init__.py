"""Drivers who steer along a path."""
