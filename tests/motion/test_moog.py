"""Does the driver of the Moog base follow the table of the base, send nothing before it is armed, and never step?"""

import math
import struct

import numpy as np
import pytest

from simulator.base.errors import StreamError
from simulator.base.records import record
from simulator.motion.protocols.contract import NO_ENGINE, Said, encoder_of
from simulator.motion.protocols.kinds import PROTOCOL_KINDS
from tests.motion.still_packet import still_packet
from vehicles.readout import READOUT

pytestmark = pytest.mark.fast

NEW_POSITION, DOF_MODE, ENGAGE, PARK = 130, 170, 180, 210
POWER_UP, IDLE, STANDBY, ENGAGED, PARKING, FAULT = 0, 1, 2, 3, 7, 9
OFF, RISE, NEUTRAL, DRIVES, PAUSED, PARKS = 0, 2, 3, 5, 6, 7
"""States of the procedure."""
INTERVAL = 1.0 / 60.0
POSE = (0.1, 0.05, 0.04, 0.2, 0.1, 0.15)


class Scene:
    """A driver and what a base answers."""

    def __init__(self, armed=1):
        kind = PROTOCOL_KINDS.need("moog")
        self.encode = encoder_of(kind, {"armed": armed}, "test", NO_ENGINE, INTERVAL)
        self.readout = record(READOUT)

    def say(self, state, answer=None, pose=POSE, stop=False, faults=0):
        """Command and roll, pitch, heave, surge, yaw, lateral of the next packet."""
        if answer is not None:
            self.encode.hear(struct.pack(">3I7f", faults, 0, 0x20 | answer, *(0.0,) * 7))
        data = self.encode(Said(still_packet(state=state, pose=pose, stop=stop), self.readout, np.zeros(4)))
        command, *positions, spare = struct.unpack(">I6fI", data)
        assert spare == 0
        return command, positions

    def go(self, seconds, state, answer=None, pose=POSE):
        return [self.say(state, answer, pose) for _ in range(round(seconds / INTERVAL))]


def engaged():
    scene = Scene()
    scene.go(5.0, DRIVES, ENGAGED)
    return scene


def test_signs_places_and_units_once_it_follows():
    """Forward, left, up; right side down, nose down, turned left: the base counts right, down and nose up as positive."""
    command, (roll, pitch, heave, surge, yaw, lateral) = engaged().say(DRIVES, ENGAGED)
    assert command == NEW_POSITION
    assert (roll, pitch, yaw) == pytest.approx((0.2, -0.1, -0.15), rel=1e-3)
    assert (surge, lateral, heave) == pytest.approx((0.1, -0.05, -0.04), rel=1e-3)


def test_the_bytes_are_big_endian():
    data = Scene().encode(Said(still_packet(), record(READOUT), np.zeros(4)))
    assert data == bytes([0, 0, 0, DOF_MODE]) + bytes(28)


def test_unarmed_it_only_sends_the_mode():
    scene = Scene(armed=0)
    for answer in (None, POWER_UP, IDLE, STANDBY, ENGAGED):
        for state in (OFF, RISE, DRIVES, PARKS):
            command, positions = scene.say(state, answer)
            assert command == DOF_MODE
            assert not any(positions)


def test_from_rest_to_driving_and_back():
    scene = Scene()
    assert scene.say(RISE) == (DOF_MODE, [0.0] * 6), "nobody has answered"
    assert scene.say(OFF, IDLE)[0] == NEW_POSITION
    assert scene.say(RISE, IDLE) == (ENGAGE, [0.0] * 6)
    assert scene.say(DRIVES, IDLE) == (ENGAGE, [0.0] * 6), "the base is late: no pose yet"
    rising = [*scene.go(1.0, RISE, ENGAGED), *scene.go(5.0, DRIVES, ENGAGED)]
    assert {command for command, _ in rising} == {NEW_POSITION}
    sinking = [*scene.go(1.0, PAUSED, ENGAGED), *scene.go(8.0, PARKS, ENGAGED)]
    assert sinking[-1] == (PARK, [0.0] * 6)
    assert not any(command == PARK and any(positions) for command, positions in sinking)
    assert scene.say(OFF, PARKING)[0] == NEW_POSITION
    assert scene.say(OFF, IDLE)[0] == NEW_POSITION
    said = np.array([positions for _, positions in (*rising, *sinking)])
    assert np.abs(np.diff(said, axis=0)).max() / INTERVAL < 1.0 * max(POSE), "no step"
    assert np.abs(np.diff(said, 2, axis=0)).max() / INTERVAL**2 < 5.0 * max(POSE), "no step of the speed"


def test_the_end_of_the_stream_parks():
    assert engaged().say(DRIVES, ENGAGED, stop=True)[0] == PARK


def test_without_answers_the_base_is_brought_to_zero_and_parked():
    scene = engaged()
    said = scene.go(8.0, DRIVES)
    assert "no answer" in scene.encode.failing
    assert said[0] == (NEW_POSITION, pytest.approx(said[1][1], abs=1e-3))
    assert np.abs(np.diff([positions for _, positions in said], axis=0)).max() / INTERVAL < 1.0 * max(POSE)
    assert said[-1] == (PARK, [0.0] * 6)


def test_a_fault_holds():
    scene = engaged()
    assert scene.say(DRIVES, FAULT, faults=0x8000) == (NEW_POSITION, [0.0] * 6)
    assert scene.encode.failing == "the base reports fault 9, latched faults 8000"
    assert scene.say(DRIVES, IDLE) == (NEW_POSITION, [0.0] * 6), "it is not engaged again"


def test_poses_are_cut_at_the_reach_of_the_base():
    scene = engaged()
    _, (roll, pitch, heave, surge, yaw, lateral) = scene.say(DRIVES, ENGAGED, pose=(9.0, -9.0, 9.0, 9.0, 9.0, -9.0))
    assert (surge, lateral, heave) == pytest.approx((0.241, 0.259, -0.178))
    assert np.degrees((roll, pitch, yaw)) == pytest.approx((21.0, -22.0, 22.0))


def test_what_is_no_answer_is_not_looked_at():
    scene = Scene()
    for data in (b"", b"hello", bytes(39), bytes(41)):
        scene.encode.hear(data)
    assert scene.say(RISE)[0] == DOF_MODE


def test_a_pose_that_is_none_is_not_sent():
    with pytest.raises(StreamError, match="Moog"):
        engaged().say(DRIVES, ENGAGED, pose=(math.nan, 0, 0, 0, 0, 0))
