"""Fixtures of the tests of the whole program."""

from __future__ import annotations

import pytest
from recorded_drive import SECONDS, drive


@pytest.fixture(scope="session")
def driven(tmp_path_factory):
    """A drive through cones."""
    folder = tmp_path_factory.mktemp("runs") / "cones"
    states, _ = drive(folder, "obstacles", SECONDS)
    return folder, states
