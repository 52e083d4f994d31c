"""Five-link suspension."""
