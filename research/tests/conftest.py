"""Settings of the tests of the studies: those of all tests."""

from tests.conftest import pytest_collection_modifyitems

__all__ = ["pytest_collection_modifyitems"]
