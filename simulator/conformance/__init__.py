"""Conformance suite of registered kinds: one module per group of kinds, `check_plugin` selects it."""
