"""Mechanisms of their own (`jounce mechanism FILE`): checked, swept along a coordinate, run over time, plotted and drawn."""
