"""A mechanism as data, and the files it is read from."""
