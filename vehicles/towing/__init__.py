"""Trailers: vehicles without steering and drive that a coupling joins to the vehicle ahead."""
