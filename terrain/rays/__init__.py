"""Ray casting against a ground and the objects on it."""
