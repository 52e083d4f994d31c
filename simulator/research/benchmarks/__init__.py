"""The tables of `jounce bench`, one file per table."""
