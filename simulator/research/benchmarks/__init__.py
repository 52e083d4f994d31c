"""Tables of `jounce bench` for methods of multibody dynamics, one module per table."""
