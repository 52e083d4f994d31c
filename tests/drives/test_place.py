"""Does a place put the vehicle at rest where it is requested, and is a place without room refused with nothing changed?"""

from __future__ import annotations

import math

import numpy as np
import pytest

from simulator.base.errors import ConfigError
from simulator.builder.builder import build
from simulator.configuration.from_arguments import configuration
from simulator.configuration.overrides import changes

CONE = {"name": "crate", "label": "rock", "shape": "box", "size": [1.0, 1.0, 1.0], "position": [30.0, 5.0]}


class Still:
    """Driver that does nothing."""

    def read(self, t, readout, command):
        """Nothing."""


def drive(**asked):
    parts = build(configuration(None, changes({"terrain": "flat", **asked})))
    session = parts.session(Still())
    session.reset()
    return session


@pytest.fixture(scope="module")
def session():
    return drive(objects=[CONE])


def state_of(session):
    return session.vehicle.piece.memory.copy(), session.readout.copy()


def test_the_vehicle_is_at_rest_at_the_place_and_the_time_goes_on(session):
    session.run(0.3)
    before = session.time
    session.place(12.0, -3.0, math.radians(120.0))
    assert session.time == before
    at = session.readout[0]
    assert np.allclose(at["p_WB"][:2], (12.0, -3.0), atol=0.05) and session.recovery.heading == pytest.approx(math.radians(120.0), abs=1e-6)
    session.run(0.5)
    assert np.abs(session.readout[0]["v_WB_B"]).max() < 1e-6, "it stands in equilibrium"


def test_a_place_in_an_object_is_refused_and_nothing_has_changed(session):
    before = state_of(session)
    with pytest.raises(ConfigError, match="crate is there"):
        session.place(30.0, 4.0, 0.0)
    assert all(np.array_equal(one, other) for one, other in zip(before, state_of(session), strict=True))
    session.place(30.0, 7.5, 0.0)
    assert session.readout[0]["p_WB"][1] == pytest.approx(7.5, abs=0.05), "beside it there is room"


def test_a_place_without_an_equilibrium_is_refused_and_nothing_has_changed(session, monkeypatch):
    before = state_of(session)
    settle = session.vehicle.reset

    def fail(*arguments):
        settle(*arguments)
        raise ConfigError("vehicle", "reset", None, "an equilibrium")

    monkeypatch.setattr(session.vehicle, "reset", fail)
    with pytest.raises(ConfigError, match="too steep"):
        session.place(3.0, 7.5, 0.0)
    assert all(np.array_equal(one, other) for one, other in zip(before, state_of(session), strict=True))
