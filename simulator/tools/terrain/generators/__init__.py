"""Terrains made by seed: a proving ground, eroded hills, a town, dunes."""
