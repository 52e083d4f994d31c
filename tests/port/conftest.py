"""Fixtures of the tests of the port."""

from __future__ import annotations

import pytest
from port_peer import Served


@pytest.fixture
def serve(tmp_path):
    """Starts servers, and ends them after the test."""
    started = []

    def start(**options):
        started.append(Served(tmp_path / f"run{len(started)}", **options))
        return started[-1]

    yield start
    for one in started:
        one.stop()
