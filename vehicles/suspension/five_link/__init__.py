"""Five links: everything about this kind of corner."""
