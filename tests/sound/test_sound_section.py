"""Is the section `sound` of a vehicle read, checked, and present in the shipped vehicles?"""

from __future__ import annotations

import numpy as np
import pytest
from sounds import heard, states, strongest

from simulator.base.errors import ConfigError
from simulator.base.fields import read
from simulator.builder.builder import build_vehicle, vehicle_description
from tests.shipped_files import driven_vehicles
from vehicles.sound_section import SOUND_FILE, read_sound, sound_parameters

NAMES = driven_vehicles()


def section(**engine):
    return read_sound(read(SOUND_FILE, {"engine": engine}, "car.yaml", "sound"))


def test_cylinders_fire_evenly_in_their_order():
    engine = section(cylinders=4, firing_order=[1, 3, 4, 2], second_pipe=[2, 3])["engine"]
    assert engine["fires"].tolist() == [0.0, 0.25, 0.5, 0.75]
    assert engine["pipe"] == [0, 1, 0, 1]


def test_angles_may_be_uneven():
    engine = section(cylinders=2, firing_angles_deg=[0, 270])["engine"]
    assert engine["fires"] == pytest.approx([0.0, 270.0 / 720.0])


@pytest.mark.parametrize(
    ("engine", "key"),
    [
        ({"cylinders": 4, "firing_order": [1, 2, 3, 3]}, "firing_order"),
        ({"cylinders": 4, "firing_angles_deg": [0, 180, 360]}, "firing_angles"),
        ({"cylinders": 2, "firing_angles_deg": [0, 720]}, "firing_angles"),
        ({"cylinders": 2, "second_pipe": [3]}, "second_pipe"),
        ({"cylinders": 2, "strokes": 3}, "strokes"),
        ({"cylinders": 40}, "cylinders"),
    ],
)
def test_an_impossible_engine_is_refused_at_its_key(engine, key):
    with pytest.raises(ConfigError, match=key):
        section(**engine)


@pytest.mark.parametrize(("name", "cylinders"), [("hmmwv", 8), ("sedan", 6), ("light_truck", 6), ("sedan_chrono", 4), ("hmmwv_chrono", 8)])
def test_shipped_engines_sound_at_their_rate_of_firing(name, cylinders):
    p = sound_parameters(build_vehicle(name, check_step=False))
    assert p[0]["cylinders"] == cylinders
    speed = 0.6 * p[0]["top_speed"]
    fires = speed / (2.0 * np.pi) * cylinders / 2.0
    sound = heard(states(engine_speed=speed, engine_torque=0.6 * p[0]["peak_torque"], throttle=0.7), p, 2.5)
    assert strongest(sound, 0.75 * fires, 1.25 * fires) == pytest.approx(fires, rel=0.01)


def test_the_electric_car_has_no_engine():
    p = sound_parameters(build_vehicle("sedan_electric", check_step=False))
    assert (p[0]["cylinders"], p[0]["pole_pairs"]) == (0, 4)
    assert p[0]["driven"].tolist() == [0, 0, 1, 1, 0, 0, 0, 0]


@pytest.mark.parametrize("name", NAMES)
def test_every_shipped_vehicle_has_a_sound(name):
    assert vehicle_description(name).sound is not None
