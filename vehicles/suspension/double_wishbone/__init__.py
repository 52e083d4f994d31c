"""Double wishbones: everything about this kind of corner."""
