"""Is a vehicle with a wrong entry refused, and does one with a wrong command or state harm no other one?"""

from __future__ import annotations

import math
import re

import numpy as np
import pytest

import jounce
from simulator.base.errors import ConfigError, OtherVehicleWarning
from tests.contact.test_other_vehicles import Steady, world


def refused(**given):
    with pytest.raises(ConfigError) as caught:
        jounce.Simulation("sedan", "flat", platform=None, **given)
    return str(caught.value)


@pytest.mark.parametrize("position", [[0.0, 0.0], [1.0, 0.0], [-2.0, 1.0]])
def test_the_nearest_free_place_is_not_in_the_first_vehicle(position):
    message = refused(others=[{"position": position}])
    x, y = re.search(r"free place in the world is \[(\S+), (\S+)\]", message).groups()
    jounce.Simulation("sedan", "flat", platform=None, others=[{"position": [float(x), float(y)]}])


@pytest.mark.parametrize(
    ("leader", "expected"),
    [("a", "expected another vehicle of the session: first, b"), ("ffirst", "did you mean first?"), ("A", "first, b")],
)
def test_a_driver_that_would_wait_for_its_leader_forever_is_refused(leader, expected):
    a = {"name": "a", "position": [30, 0], "driver": {"type": "follow", "vehicle": leader}}
    b = {"name": "b", "position": [60, 0]}
    message = refused(others=[a, b])
    assert "[0].driver.vehicle" in message and expected in message
    assert "expected another vehicle of the session: b" in refused(others=[b], changes={"driver": {"type": "follow", "vehicle": leader}})
    sim = jounce.Simulation("sedan", "flat", platform=None, others=[b])
    with pytest.raises(ConfigError, match=r"driver\.vehicle"):
        sim.add_vehicle(a)
    assert sim.add_vehicle({**a, "driver": {"type": "follow", "vehicle": "b"}}) == "a"


@pytest.mark.parametrize("driver", [5, object(), Steady])
def test_an_object_that_cannot_drive_is_refused(driver):
    expected = re.escape("expected a name, a function, or an object with read(t, readout, command)")
    with pytest.raises(jounce.JounceError, match=expected):
        jounce.Simulation("sedan", "flat", platform=None, others=[{"position": [30, 0], "driver": driver}])
    sim = jounce.Simulation("sedan", "flat", platform=None)
    with pytest.raises(jounce.JounceError, match=expected):
        sim.add_vehicle({"position": [30, 0], "driver": driver})


class Wrong(Steady):
    def read(self, t, readout, command):
        super().read(t, readout, command)
        command[0]["brake"] = math.nan if t > 0.5 else 0.0


def test_a_command_that_is_not_finite_brakes_the_vehicle():
    others = [
        {"name": "a", "position": [30, 0], "speed": 8, "driver": Wrong(8.0)},
        {"name": "b", "position": [15, 0], "speed": 8, "driver": {"type": "follow", "vehicle": "a"}},
        {"name": "c", "position": [60, 5]},
    ]
    sim = jounce.Simulation("sedan", "flat", platform=None, others=others)
    with pytest.warns(OtherVehicleWarning, match=r"vehicle a brakes: its command was not finite at 0\.5[01]0 s"):
        sim.advance(1)
    sim.others["c"].command["throttle"] = math.inf
    with pytest.warns(OtherVehicleWarning, match=r"vehicle c brakes"):
        sim.advance(6)
    assert not any(one.stopped for one in sim.others.values())
    assert all(abs(sim.others[name].vehicle.speed) < 0.05 for name in "ac") and sim.others["b"].vehicle.speed < 1.0
    assert 30.0 < sim["a_p_WB_x"] < 50.0 and sim["b_p_WB_x"] < sim["a_p_WB_x"] - 4.0 and not sim.collisions


def test_a_vehicle_whose_state_is_not_finite_stays_visible_where_it_was():
    sim = jounce.Simulation(
        "sedan",
        "flat",
        platform=None,
        others=[
            {"name": "a", "position": [40, 0], "speed": 8, "parking_brake": False},
            {"name": "b", "position": [20, 0], "driver": "follow"},
        ],
    )
    sim.advance(1)
    place = sim["a_p_WB_x"]
    sim.others["a"].vehicle.space.state[0]["v_WB_B"] = math.nan
    with pytest.warns(OtherVehicleWarning, match="vehicle a stopped"):
        sim.advance(10)
    assert sim.others["a"].stopped and sim["a_p_WB_x"] == pytest.approx(place, abs=0.01) and sim["a_v_WB_B_x"] == 0.0
    assert not sim.others["b"].stopped and 1.0 < sim["a_p_WB_x"] - sim["b_p_WB_x"] - 4.7 < 4.0, "its follower stops behind it"
    assert all(np.isfinite(sim.log[f"{name}_p_WB_x"]).all() for name in "ab")


def test_the_phase_of_another_vehicle_is_its_own():
    """A fault of a vehicle without driver begins in a phase of the first vehicle, not in one of the vehicle before it."""
    heard = []

    class Faults:
        logged, faults, trouble = (), (), ""

        def begin(self, *_):
            pass

        def advance(self, time, phase, *_):
            heard.append(phase)
            return []

    driver = Steady(5.0)
    driver.phase = "of a"
    session = world([("a", None, (20.0, 6.0, 0.0), 5.0, driver), ("b", None, (40.0, -6.0, 0.0), 0.0, None)]).session
    for one in session.others.vehicles:
        one.faults = Faults()
    session.others.call_drivers(0.0, "of first")
    assert heard == ["of a", "of first"]
