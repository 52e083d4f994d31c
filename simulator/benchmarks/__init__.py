"""Benchmarks: cost of a tick, a run and a sweep, and comparison with another checkout."""
