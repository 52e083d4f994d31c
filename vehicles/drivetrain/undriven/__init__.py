"""Axles without a drive, such as those of trailers."""
