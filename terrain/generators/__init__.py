"""Generators of terrains from a seed: a proving ground, eroded hills, a town, dunes."""
