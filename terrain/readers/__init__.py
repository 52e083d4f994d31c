"""Readers of files of heights, one file for each format; `terrain.readers.kinds` finds them by suffix."""
