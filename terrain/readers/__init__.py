"""Readers of files of heights, one file for each format; `terrain.readers.table` finds them by suffix."""
