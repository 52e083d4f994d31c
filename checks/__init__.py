"""Checks of the checkout that need no test runner; `make check` runs them."""
