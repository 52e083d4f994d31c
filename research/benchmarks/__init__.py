"""Tables of `python -m research bench` for methods of multibody dynamics, one module per table."""
