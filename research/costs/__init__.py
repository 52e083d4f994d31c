"""Costs of the program on this machine: tick, run, sweep, sensors, an operator's stop; comparison with another checkout."""
