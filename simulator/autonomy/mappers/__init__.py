"""Mappers: obstacle maps from the true world or from sensors."""
