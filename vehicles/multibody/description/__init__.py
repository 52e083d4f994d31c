"""Description of a mechanism as data, and readers of its file formats."""
