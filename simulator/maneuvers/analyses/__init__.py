"""Analyses of a run: parameters, metrics, and a function of the telemetry for each."""
