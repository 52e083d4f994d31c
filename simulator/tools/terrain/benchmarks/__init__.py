"""Worlds of published navigation benchmarks as terrains: Verti-Bench (off-road) and BARN (narrow spaces)."""
