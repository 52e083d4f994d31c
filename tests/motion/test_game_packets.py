"""Are the packets of games and of the Moog base byte for byte those of the published offset tables, with the signs of each?

The offsets below come from the sources, independently of the program.
"""

import math
import struct

import numpy as np
import pytest

from simulator.base.errors import StreamError
from simulator.base.records import record
from simulator.motion.protocols.contract import Engine, Said, checked, encoder_of
from simulator.motion.protocols.kinds import PROTOCOL_KINDS
from simulator.motion.protocols.packet_layout import PacketTable
from tests.motion.still_packet import still_packet
from vehicles.readout import READOUT

pytestmark = pytest.mark.fast

G = 9.80665
YAW, PITCH, ROLL = 0.5, -0.1, 0.2
"""rad. To the left, nose up, right side down."""


def readout(**values):
    r = record(READOUT)
    r[0]["q_WB"] = (1.0, 0.0, 0.0, 0.0)
    r[0]["R_BK"] = np.eye(3)
    for name, value in values.items():
        r[0][name] = value
    return r


def turned(yaw=0.0, pitch=0.0, roll=0.0):
    """Attitude as the readout says it twice."""
    q = np.array([1.0, 0.0, 0.0, 0.0])
    for axis, angle in ((2, yaw), (1, pitch), (0, roll)):
        w = q[0]
        c, s = math.cos(angle / 2), math.sin(angle / 2) * np.eye(3)[axis]
        q = np.array([w * c - q[1:] @ s, *(w * s + c * q[1:] + np.cross(q[1:], s))])
    return {"q_WB": q, "yaw": yaw, "pitch": pitch, "roll": roll}


def busy():
    """A vehicle of which every number is another."""
    return readout(
        time=12.5,
        p_WB=(100.0, 20.0, 3.0),
        **turned(YAW),
        v_WB_B=(10.0, 1.0, 0.5),
        w_WB_B=(0.1, 0.2, 0.3),
        a_WB_B=(2.0, 4.0, -1.0),
        alpha_WB_B=(0.4, 0.5, 0.6),
        jounce=(0.01, 0.02, 0.03, 0.04),
        wheel_spin=(20.0, 21.0, 22.0, 23.0),
        road_wheel_angle=(0.1, 0.12, 0.0, 0.01),
        p_BK=[[1.7, 0.9, 0], [1.7, -0.9, 0], [-1.6, 0.9, 0], [-1.6, -0.9, 0]],
        F_C=[[100.0, 200.0, 5000.0], [101.0, 201.0, 5001.0], [102.0, 202.0, 5002.0], [0.0, 0.0, 0.0]],
        slip_ratio=(0.03, 0.03, 0.06, 0.3),
        slip_angle=(0.01, 0.015, 0.03, 0.03),
        hardness=(1.0, 1.0, 0.0, 1.0),
        throttle=0.6,
        brake=0.2,
        gear=3,
        engine_speed=2000.0 * math.pi / 30.0,
        steering_column_torque=7.0,
    )


def in_world(x, y, z):
    """Vehicle axes to world axes of a level vehicle with the heading YAW, then to (right, forward, up) of a game's world."""
    c, s = math.cos(YAW), math.sin(YAW)
    return -(s * x + c * y), c * x - s * y, z


def encoder(name, interval=0.01, **parameters):
    kind = PROTOCOL_KINDS.need(name)
    return checked(kind, encoder_of(kind, parameters, "test", Engine(3400.0, 700.0, 4), interval, "humvee"))


def packet(name, r, run=True, **parameters):
    return encoder(name, **parameters)(Said(still_packet(run=run), r, np.zeros(4)))


OUTSIM = [
    (4, "<3f", in_world(0.1, 0.2, 0.3)),
    (16, "<3f", (YAW, 0.0, 0.0)),
    (28, "<3f", in_world(2.0, 4.0, -1.0)),
    (40, "<3f", in_world(10.0, 1.0, 0.5)),
    (52, "<3i", (-20 * 65536, 100 * 65536, 3 * 65536)),
]
OUTSIM_WHEELS = [
    # begin, corner of the readout, the slip said in 255ths
    (112, 2, 86),
    (152, 3, 255),
    (192, 0, 40),
    (232, 1, 43),
]
OUTSIM2 = [
    (0, "<4s", (b"LFST",)),
    (4, "<iI", (9, 12500)),
    *((offset + 8, layout, expected) for offset, layout, expected in OUTSIM),
    (72, "<3f", (0.6, 0.2, -0.11)),
    (92, "<B", (4,)),
    (96, "<f", (2000.0 * math.pi / 30.0,)),
    (272, "<f", (-7.0,)),
]
for begin, corner, share in OUTSIM_WHEELS:
    wheel = busy()[0]
    force = wheel["F_C"][corner]
    OUTSIM2 += [
        (begin, "<2f", (wheel["jounce"][corner], -wheel["road_wheel_angle"][corner])),
        (begin + 8, "<3f", (-force[1], force[0], force[2])),
        (begin + 20, "<2f", (wheel["wheel_spin"][corner], 0.0)),
        (begin + 28, "<4B", (0, share, int(corner != 3), 0)),
        (begin + 32, "<2f", (wheel["slip_ratio"][corner], math.tan(wheel["slip_angle"][corner]))),
    ]
OUTGAUGE = [
    (0, "<I", (12500,)),
    (4, "<4s", (b"JNC\0",)),
    (8, "<H", (16384 + 32768,)),
    (10, "<2B", (4, 0)),
    (12, "<2f", (math.sqrt(101.25), 2000.0)),
    (48, "<2f", (0.6, 0.2)),
]
BEAMNG = [
    (0, "<4s", (b"BNG1",)),
    (4, "<3f", (-20.0, 100.0, 3.0)),
    (16, "<3f", in_world(10.0, 1.0, 0.5)),
    (28, "<3f", (-4.0, 2.0, -1.0)),
    (40, "<3f", (0.0, 0.0, 1.0)),
    (52, "<3f", (0.0, 0.0, -YAW)),
    (64, "<3f", (-0.1, 0.2, -0.3)),
    (76, "<3f", (-0.4, 0.5, -0.6)),
]
SRS = [
    (0, "<3s", (b"api",)),
    (4, "<I", (102,)),
    (8, "<50s", (b"Jounce".ljust(50, b"\0"),)),
    (58, "<50s", (b"humvee".ljust(50, b"\0"),)),
    (160, "<3f", (math.sqrt(101.25), 2000.0, 3400.0)),
    (172, "<i", (3,)),
    (176, "<3f", (0.0, 0.0, -math.degrees(YAW))),
    (188, "<f", (-(1.0 - 0.3 * 1.6),)),
    (192, "<3f", (-4.0 / G, -1.0 / G, 2.0 / G)),
    (204, "<4f", (1.0, 2.0, 3.0, 4.0)),
    (220, "<4I", (2, 2, 0, 2)),
]
FORZA = [
    (0, "<iI", (1, 12500)),
    (8, "<3f", (3400.0, 700.0, 2000.0)),
    (20, "<3f", (-4.0, -1.0, 2.0)),
    (32, "<3f", (-1.0, 0.5, 10.0)),
    (44, "<3f", (0.2, -0.3, -0.1)),
    (56, "<3f", (-YAW, 0.0, 0.0)),
    (68, "<4f", (0.55, 0.6, 0.65, 0.7)),
    (84, "<4f", (0.2, 0.2, 0.4, 2.0)),
    (100, "<4f", (20.0, 21.0, 22.0, 23.0)),
    (164, "<4f", (-0.1, -0.15, -0.3, -0.3)),
    (180, "<4f", (math.hypot(0.2, 0.1), 0.25, 0.5, math.hypot(2.0, 0.3))),
    (196, "<4f", (0.01, 0.02, 0.03, 0.04)),
]
FORZA_LIMITS = {"suspension_travel": 0.2, "sliding_slip": 0.15, "sliding_angle": 0.1}


@pytest.mark.parametrize(
    ("name", "parameters", "size", "expected"),
    [
        ("outsim", {}, 64, [(0, "<I", (12500,)), *OUTSIM]),
        ("outsim", {"id": 9}, 68, [(0, "<I", (12500,)), *OUTSIM, (64, "<i", (9,))]),
        ("outsim2", {"id": 9}, 280, OUTSIM2),
        ("outgauge", {}, 92, OUTGAUGE),
        ("outgauge", {"id": 9}, 96, [*OUTGAUGE, (92, "<i", (9,))]),
        ("beamng", {}, 88, BEAMNG),
        ("srs", {}, 236, SRS),
        ("forza", FORZA_LIMITS, 232, FORZA),
    ],
)
def test_every_byte_is_that_of_the_table_and_all_others_are_zero(name, parameters, size, expected):
    data = packet(name, busy(), **parameters)
    assert len(data) == size
    rest = bytearray(data)
    for offset, layout, values in expected:
        found = struct.unpack_from(layout, data, offset)
        assert found == (values if isinstance(values[0], bytes) else pytest.approx(values, rel=1e-5, abs=1e-6)), f"at {offset}"
        rest[offset : offset + struct.calcsize(layout)] = bytes(struct.calcsize(layout))
    assert not any(rest), [k for k, byte in enumerate(rest) if byte]


FORWARD = {"a_WB_B": (2.0, 0.0, 0.0)}
LEFT = {"a_WB_B": (0.0, 4.0, 0.0), "w_WB_B": (0.0, 0.0, 0.3), "alpha_WB_B": (0.0, 0.0, 0.1), **turned(yaw=0.01)}
NOSE_UP = {"w_WB_B": (0.0, -0.3, 0.0), **turned(pitch=PITCH)}
RIGHT_SIDE_DOWN = {"w_WB_B": (0.3, 0.0, 0.0), **turned(roll=ROLL)}


@pytest.mark.parametrize(
    ("name", "scene", "signs"),
    [
        # LFS: X right, Y forward; heading + = left, pitch + = nose up, roll + = right side down
        ("outsim", FORWARD, {32: 1}),
        ("outsim", LEFT, {28: -1, 12: 1, 16: 1}),
        ("outsim", NOSE_UP, {4: 1, 20: 1}),
        ("outsim", RIGHT_SIDE_DOWN, {8: 1, 24: 1}),
        # BeamNG: X right, Y forward; yaw + = right, pitch and roll turned round
        ("beamng", FORWARD, {32: 1}),
        ("beamng", LEFT, {28: -1, 60: -1, 72: -1, 84: -1}),
        ("beamng", NOSE_UP, {56: -1, 68: -1, 44: -1, 48: 1}),
        ("beamng", RIGHT_SIDE_DOWN, {52: -1, 64: -1, 40: 1, 48: 1}),
        # Sim Racing Studio: lateral + = right; yaw + = right, pitch + = nose up, roll + = right side down
        ("srs", FORWARD, {200: 1}),
        ("srs", LEFT, {192: -1, 184: -1}),
        ("srs", NOSE_UP, {176: 1}),
        ("srs", RIGHT_SIDE_DOWN, {180: 1}),
        # Forza: X right, Y up, Z forward, turning left-handed
        ("forza", FORWARD, {28: 1}),
        ("forza", LEFT, {20: -1, 48: -1, 56: -1}),
        ("forza", NOSE_UP, {44: -1, 60: -1}),
        ("forza", RIGHT_SIDE_DOWN, {52: -1, 64: -1}),
    ],
)
def test_signs(name, scene, signs):
    data = packet(name, readout(**scene))
    found = {offset: math.copysign(1, struct.unpack_from("<f", data, offset)[0]) for offset in signs}
    assert found == signs
    assert all(struct.unpack_from("<f", data, offset)[0] != 0.0 for offset in signs)


def test_the_lean_of_a_wheel_to_the_left_is_encoded():
    c, s = math.cos(0.1), math.sin(0.1)
    to_the_left = [[1, 0, 0], [0, c, s], [0, -s, c]]  # its left axis points down
    data = packet("outsim2", readout(R_BK=to_the_left))
    assert struct.unpack_from("<f", data, 112 + 24)[0] == pytest.approx(0.1)


@pytest.mark.parametrize(("gear", "outgauge", "srs"), [(-1, 0, -1), (0, 1, 0), (2, 3, 2)])
def test_gears(gear, outgauge, srs):
    assert packet("outgauge", readout(gear=gear))[10] == outgauge
    assert struct.unpack_from("<i", packet("srs", readout(gear=gear)), 172) == (srs,)


def test_what_is_beyond_its_range_stops_there():
    far = readout(p_WB=(1e6, -1e6, 0.0), jounce=0.9, v_WB_B=(0.0, 50.0, 0.0))
    assert struct.unpack_from("<3i", packet("outsim", far), 52) == (2**31 - 1, 2**31 - 1, 0)
    assert struct.unpack_from("<4f", packet("srs", far), 204) == (10.0,) * 4
    assert struct.unpack_from("<f", packet("srs", far), 188) == (-2.0,)
    assert struct.unpack_from("<4f", packet("forza", far), 68) == (1.0,) * 4


def test_forza_encodes_a_pause():
    assert struct.unpack_from("<i", packet("forza", busy(), run=False)) == (0,)


@pytest.mark.parametrize("name", ["outsim", "outsim2", "outgauge", "forza"])
def test_the_time_of_a_packet_does_not_go_back(name):
    encode, found = encoder(name), []
    for time in (1.0, 1.5, 0.0, 0.25):
        data = encode(Said(still_packet(), readout(time=time), np.zeros(4)))
        found.append(struct.unpack_from("<I", data, {"outsim2": 8, "forza": 4}.get(name, 0))[0])
    assert found == [1000, 1500, 1500, 1750]


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("name", ["outsim", "outsim2", "outgauge", "beamng", "srs", "forza"])
@pytest.mark.parametrize("bad", [math.nan, math.inf, 1e300])
def test_a_number_that_is_none_is_not_sent(name, bad):
    with pytest.raises(StreamError, match="packet"):
        packet(name, readout(v_WB_B=(bad, 0.0, 0.0)))
    if name != "outgauge":
        with pytest.raises(StreamError, match="packet"):
            packet(name, readout(a_WB_B=(0.0, bad, 0.0)))


def test_overlapping_rows_and_unknown_names_of_a_table_are_refused():
    with pytest.raises(ValueError, match="b begins at 2"):
        PacketTable("mine", 8, ((0, "f32", 1, "a", "m", ""), (2, "u16", 1, "b", "m", "")))
    with pytest.raises(ValueError, match="end at 12"):
        PacketTable("mine", 8, ((0, "f32", 3, "a", "m", ""),))
    with pytest.raises(KeyError, match="no row b"):
        PacketTable("mine", 8, ((0, "f32", 2, "a", "m", ""),)).pack(b=1.0)
