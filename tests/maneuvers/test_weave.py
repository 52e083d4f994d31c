"""Does the driver keep a shipped vehicle still on a straight at low speed, after a turn has excited it?"""

import numpy as np
import pytest

import jounce

TURN = [{"length_m": 15}, {"length_m": 8, "radius_m": 10, "side": "left"}, {"length_m": 400}]


@pytest.mark.parametrize(("vehicle", "speed"), [("sedan", 16.0), ("hmmwv", 10.0), ("hmmwv", 16.0)])
def test_the_driver_does_not_weave_at_low_speed(vehicle, speed):
    """With the measured sideslip in the place of that of the path, the lateral force had a standard deviation of 0.6 to 1.5 m/s2."""
    changes = {"maneuver.segments": TURN, "maneuver.parameters.speed_kph": speed, "maneuver.duration_s": 20}
    log = jounce.Simulation(vehicle, maneuver="constant_speed", platform=None, changes=changes).run().log
    late = np.asarray(log["time"]) > 15.0
    assert np.std(np.asarray(log["f_H_B_y"])[late]) < 0.05
    assert np.std(np.asarray(log["steering"])[late]) < 0.005
