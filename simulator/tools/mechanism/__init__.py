"""Tools for mechanism files (`jounce mechanism FILE`): check, sweep along a coordinate, run over time, plots and animations."""
