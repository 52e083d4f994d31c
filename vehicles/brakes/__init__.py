"""Wheel brakes: hydraulics, discs and friction."""
