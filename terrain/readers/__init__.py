"""Readers of elevation data, one module per format; `terrain.readers.kinds` selects them by suffix."""
