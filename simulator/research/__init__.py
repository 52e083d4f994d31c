"""Reproduction of the papers: benchmarks, linkages, triangular systems."""
