"""Are the bytes the documented ones? The native packet against its table, the extradata packet against values computed by hand."""

import importlib
import math
import re
import struct
import zlib
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from simulator.base.errors import StreamError
from simulator.base.records import record
from simulator.motion.protocols.codemasters import ExtraData3, game_axes
from simulator.motion.protocols.native_packet import SIZE, MotionPacket, decode, encode
from vehicles.readout import READOUT

DOCS = Path(__file__).parents[2] / "docs"
PACKET = MotionPacket(
    sequence=7,
    stream=0xDEADBEEF,
    state=5,
    run=True,
    interval=0.004,
    time=12.5,
    force=(1.0, -2.0, 9.81),
    rates=(0.1, -0.2, 0.3),
    pose=(0.01, 0.02, -0.03, 0.04, -0.05, 0.06),
    legs=(0.8, 0.81, 0.82, 0.83, 0.84, 0.85),
    limited=True,
)


def sealed(body: bytes) -> bytes:
    return body + struct.pack("<I", zlib.crc32(body))


def test_native_packet_has_the_documented_bytes():
    data = encode(PACKET)
    assert len(data) == SIZE == 188
    assert data[:4] == b"JNCM"
    assert struct.unpack_from("<HH", data, 4) == (1, 188)
    assert struct.unpack_from("<Q", data, 8) == (7,)
    assert struct.unpack_from("<I", data, 16) == (0xDEADBEEF,)
    assert data[20] == 5
    assert data[21] == 1 + 2 + 4
    assert struct.unpack_from("<dd", data, 24) == (0.004, 12.5)
    assert struct.unpack_from("<3d", data, 40) == PACKET.force
    assert struct.unpack_from("<3d", data, 64) == PACKET.rates
    assert struct.unpack_from("<6d", data, 88) == PACKET.pose
    assert struct.unpack_from("<6d", data, 136) == PACKET.legs
    assert struct.unpack_from("<I", data, 184) == (zlib.crc32(data[:184]),)


def test_the_decoder_of_the_page_reads_it():
    page = (DOCS / "protocols" / "native.md").read_text()
    found = {}
    exec(re.search(r"```python\n(.*?)```", page, re.DOTALL)[1], found)
    data = encode(PACKET)
    assert found["decode"](data) == (7, 5, 1 + 2 + 4, list(PACKET.pose), list(PACKET.legs))
    assert found["decode"](data[:-1]) is None
    assert found["decode"](data[:100] + b"\x01" + data[101:]) is None
    assert found["decode"](sealed(b"JNCM\x02" + data[5:-4])) is None


def test_the_page_of_a_protocol_has_the_table_that_is_packed():
    for name in ("outsim", "outsim2", "outgauge", "beamng", "srs", "forza", "moog"):
        table = importlib.import_module(f"simulator.motion.protocols.{name}").TABLE
        page = (DOCS / "protocols" / f"{name}.md").read_text()
        for offset, kind, count, row, unit, meaning in table.rows:
            times = f" x {count}" if count > 1 else ""
            line = f"| {offset} | {kind}{times} | {row.replace('_', ' ')} | {unit} | {meaning} |"
            assert line in page or row.endswith(("_rr", "_fl", "_fr")), line


def test_heartbeat_turns_with_every_packet():
    flags = [encode(replace(PACKET, sequence=k))[21] & 2 for k in range(4)]
    assert flags == [0, 2, 0, 2]


finite = st.floats(allow_nan=False, allow_infinity=False)


@given(
    sequence=st.integers(0, 2**64 - 1),
    state=st.integers(0, 8),
    run=st.booleans(),
    stop=st.booleans(),
    numbers=st.lists(finite, min_size=19, max_size=19),
)
def test_what_is_encoded_is_decoded(sequence, state, run, stop, numbers):
    packet = replace(
        PACKET,
        sequence=sequence,
        state=state,
        run=run,
        stop=stop,
        time=numbers[0],
        force=tuple(numbers[1:4]),
        rates=tuple(numbers[4:7]),
        pose=tuple(numbers[7:13]),
        legs=tuple(numbers[13:19]),
    )
    assert decode(encode(packet)) == packet


def test_any_flipped_bit_is_noticed():
    for bit in range(SIZE * 8):
        data = bytearray(encode(PACKET))
        data[bit // 8] ^= 1 << (bit % 8)
        with pytest.raises(StreamError):
            decode(bytes(data))


@settings(max_examples=200)
@given(data=st.binary(max_size=400))
def test_noise_is_refused_with_a_reason(data):
    with pytest.raises(StreamError, match="motion packet"):
        decode(data)


@pytest.mark.parametrize(
    ("offset", "value"),
    [(0, b"JNCX"), (4, b"\x02\x00"), (6, b"\x00\x01"), (20, b"\x09"), (21, b"\x10"), (21, b"\x00"), (22, b"\x01\x00"), (24, bytes(8))],
)
def test_a_sealed_packet_of_another_kind_is_refused(offset, value):
    """The CRC is right; version, size, state, flags, heartbeat, reserved bytes or interval are not."""
    body = bytearray(encode(PACKET)[:-4])
    body[offset : offset + len(value)] = value
    with pytest.raises(StreamError):
        decode(sealed(bytes(body)))


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf])
@pytest.mark.parametrize("name", ["force", "rates", "pose", "legs", "time"])
def test_numbers_that_are_none_neither_leave_nor_enter(name, bad):
    value = bad if name == "time" else (bad, *getattr(PACKET, name)[1:])
    with pytest.raises(StreamError, match="not finite"):
        encode(replace(PACKET, **{name: value}))
    offset = {"time": 32, "force": 40, "rates": 64, "pose": 88, "legs": 136}[name]
    body = bytearray(encode(PACKET)[:-4])
    struct.pack_into("<d", body, offset, bad)
    with pytest.raises(StreamError, match="not finite"):
        decode(sealed(bytes(body)))


def readout(**values):
    r = record(READOUT)
    r[0]["q_WB"] = (1.0, 0.0, 0.0, 0.0)
    r[0]["p_BK"][:, 2] = 0.0
    r[0]["p_WC"][:, 2] = -0.45
    for name, value in values.items():
        r[0][name] = value
    return r


def floats(data: bytes) -> np.ndarray:
    assert len(data) == 264
    return np.frombuffer(data, dtype="<f4")


STILL = np.zeros(4)


def about(axis, angle):
    return (math.cos(angle / 2), *(math.sin(angle / 2) * np.eye(3)[axis]))


def test_game_axes_are_right_up_forward():
    assert game_axes((1.0, 0.0, 0.0)) == (0.0, 0.0, 1.0)
    assert game_axes((0.0, 1.0, 0.0)) == (-1.0, 0.0, 0.0)
    assert game_axes((0.0, 0.0, 1.0)) == (0.0, 1.0, 0.0)


def test_extradata_of_a_level_drive():
    v = floats(
        ExtraData3(3400.0, 700.0, 6).encode(
            readout(
                time=12.5,
                p_WB=(100.0, 20.0, 3.0),
                p_WC=[[101.7, 20.9, 2.55], [101.7, 19.1, 2.55], [98.3, 20.9, 2.55], [98.3, 19.1, 2.55]],
                v_WB_B=(10.0, 1.0, 0.0),
                a_WB_B=(2.0, -4.0, 0.0),
                jounce=(0.01, 0.02, 0.03, 0.04),
                wheel_spin=(20.0, 21.0, 22.0, 23.0),
                throttle=0.6,
                brake=0.2,
                steering=0.25,
                gear=3,
                engine_speed=2000.0 * 2 * math.pi / 60,
            ),
            np.array([0.1, 0.2, 0.3, 0.4]),
        )
    )
    assert v[0] == 12.5
    assert v[4:7] == pytest.approx([-20.0, 3.0, 100.0])
    assert v[7] == pytest.approx(math.sqrt(101.0))
    assert v[8:11] == pytest.approx([-1.0, 0.0, 10.0])
    assert v[11:14] == pytest.approx([1.0, 0.0, 0.0])
    assert v[14:17] == pytest.approx([0.0, 0.0, 1.0])
    assert v[17:21] == pytest.approx([30.0, 40.0, 10.0, 20.0])
    assert v[21:25] == pytest.approx([300.0, 400.0, 100.0, 200.0], rel=1e-5)
    assert v[25:29] == pytest.approx(0.45 * np.array([22.0, 23.0, 20.0, 21.0]))
    assert v[29:32] == pytest.approx([0.6, -0.25, 0.2])
    assert v[33] == 3.0
    assert v[34] == pytest.approx(4.0 / 9.80665)
    assert v[35] == pytest.approx(2.0 / 9.80665)
    assert v[37] == pytest.approx(200.0)
    assert v[63:66] == pytest.approx([340.0, 70.0, 6.0])
    assert np.count_nonzero(v[38:63]) == 0


def test_extradata_attitude():
    """Nose up: the front vector rises. Right side down: the right vector falls. A turn to the left: the front vector goes left."""
    encoder = ExtraData3(0.0, 0.0, 0)
    up = floats(encoder.encode(readout(q_WB=about(1, -0.1)), STILL))
    assert up[15] == pytest.approx(math.sin(0.1))
    assert up[12] == pytest.approx(0.0, abs=1e-7)
    down = floats(encoder.encode(readout(q_WB=about(0, 0.2)), STILL))
    assert down[12] == pytest.approx(-math.sin(0.2))
    left = floats(encoder.encode(readout(q_WB=about(2, 0.3), v_WB_B=(5.0, 0.0, 0.0)), STILL))
    assert left[14] == pytest.approx(-math.sin(0.3))
    assert left[8:11] == pytest.approx([-5.0 * math.sin(0.3), 0.0, 5.0 * math.cos(0.3)], abs=1e-6)


def test_extradata_gears_and_distance():
    encoder = ExtraData3(0.0, 0.0, 0)
    assert floats(encoder.encode(readout(gear=-1), STILL))[33] == 10.0
    assert floats(encoder.encode(readout(gear=0), STILL))[33] == 0.0
    for time, expected in ((1.0, 10.0), (1.01, 10.1), (0.0, 10.1), (0.5, 15.1)):
        assert floats(encoder.encode(readout(time=time, v_WB_B=(10.0, 0, 0)), STILL))[2] == pytest.approx(expected)


@pytest.mark.parametrize(("name", "value"), [("p_WB", (math.nan, 0, 0)), ("engine_speed", math.inf), ("a_WB_B", (1e300, 0, 0))])
def test_extradata_never_carries_what_is_no_number(name, value):
    with pytest.raises(StreamError, match="extradata"):
        ExtraData3(0.0, 0.0, 0).encode(readout(**{name: value}), STILL)
