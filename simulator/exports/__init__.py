"""Exports of a finished run to file formats of other programs."""
