"""Mechanisms in motion: swept along a coordinate, run over time, plotted and drawn (`jounce mechanism FILE --sweep ...`)."""
