"""Sensors on the vehicle: contract, registry, built-in sensors, and their creation for a session."""
