"""Runs faster than real time: run, series, rerun, info."""
