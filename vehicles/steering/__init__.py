"""Steering from the driver's input to the inner tie-rod joints."""
