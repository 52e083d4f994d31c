"""Fixtures of the tests of sensors."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from recorded_kinds import KINDS

from simulator.sensors.kinds import SENSOR_KINDS


@pytest.fixture
def recorded_kinds(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Register the kinds of `recorded_kinds.py`, as built-in sensors: a plugin would compute in a thread."""
    monkeypatch.setattr(SENSOR_KINDS, "_kinds", {**SENSOR_KINDS._kinds, **KINDS})
    monkeypatch.setattr(SENSOR_KINDS, "_sources", {**SENSOR_KINDS._sources, **dict.fromkeys(KINDS, SENSOR_KINDS._sources["imu"])})
    yield
