"""Bodies that the window can draw."""
