"""Conformance of protocols of the motion stream."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from simulator.base.errors import StreamError
from simulator.base.field_records import filled, rows
from simulator.base.values import Values
from simulator.conformance.findings import Check, Findings
from simulator.conformance.parameters import check_parameters, limits, parameter_values
from simulator.conformance.samples import CALLS, SEED, readout_of
from simulator.motion.protocols.contract import NO_ENGINE, Encoder, Engine, ProtocolKind, ProtocolSettings, Said, checked
from simulator.motion.protocols.native_packet import LAST_STATE, MotionPacket

MAX_DATAGRAM, MAX_UNFRAGMENTED = 65507, 1472
"""Bytes of a UDP packet: the largest one, and the largest one that Ethernet carries in one frame."""
ENGINE = Engine(4000.0, 700.0, 6)
"""Ordinary engine."""


def check_protocol(kind: ProtocolKind, findings: Findings, example: Mapping[str, Any]) -> None:
    """Check a protocol."""
    check_parameters(findings, kind.parameters)
    with findings.check("rate and port") as check:
        check.need(1 <= kind.rate <= 1000, f"rate {kind.rate}; expected 1 to 1000 packets per second")
        check.need(1 <= kind.port <= 65535, f"port {kind.port}; expected 1 to 65535")
    if findings.failed:
        return
    values = parameter_values(kind.parameters, example)
    if findings.created(lambda: _new_encoder(kind, values), bool(example)) is None:
        return
    with findings.check("packets") as check:
        _check_packets(check, kind, values, ENGINE)
    with findings.check("vehicle without an engine") as check:
        _check_packets(check, kind, values, NO_ENGINE)
    with findings.check("limits of the parameters") as check:
        for description, extreme in limits(kind.parameters, values):
            _check_packets(check, kind, extreme, ENGINE, f"{description}: ")
    with findings.check("determinism") as check:
        first, second = ([encode(packet) for packet in inputs()] for encode in (_new_encoder(kind, values), _new_encoder(kind, values)))
        check.need(first == second, "a new encoder returns other bytes; use the time of the packet, and store nothing in modules")
    encode, packet = _new_encoder(kind, values), inputs()[1]
    findings.median_time(lambda: encode(packet), 1.0 / kind.rate, f"the interval at {kind.rate} packets per second")


def _new_encoder(kind: ProtocolKind, values: Mapping[str, Any], engine: Engine = ENGINE) -> Encoder:
    parameters = filled(rows(kind.parameters), values)
    return kind.make(ProtocolSettings(parameters, engine, 1.0 / kind.rate, "" if engine is NO_ENGINE else "HMMWV"))


def inputs() -> list[Said]:
    """Return the data of a stream in all states, with extreme motion of the vehicle; the last packet stops it."""
    random, packet_inputs = np.random.default_rng(SEED), []
    for n in range(CALLS):
        _, readout = readout_of(n)
        motion = {"force": readout[0]["f_H_B"].tolist(), "rates": readout[0]["w_WB_B"].tolist()}
        pose, legs = random.uniform(-0.3, 0.3, 6).tolist(), random.uniform(1.0, 1.4, 6).tolist()
        packet = MotionPacket(
            sequence=n, stream=1, state=n % (LAST_STATE + 1), run=n % 5 > 0, interval=0.01, time=0.01 * n, **motion, pose=pose, legs=legs,
            limited=n % 3 == 0, stop=n == CALLS - 1,
        )  # fmt: skip
        packet_inputs.append(Said(packet, readout.copy(), random.uniform(-1.0, 1.0, 4)))
    return packet_inputs


def _check_packets(check: Check, kind: ProtocolKind, values: Values | dict[str, Any], engine: Engine, prefix: str = "") -> None:
    """Check type, size and numbers of the packets of a stream, and that the input does not change."""
    encode = checked(kind, _new_encoder(kind, values, engine))
    for packet in inputs():
        before = packet.readout.tobytes(), packet.jounce_speed.tobytes()
        try:
            data = encode(packet)
        except StreamError as error:
            check.fail(f"{prefix}{error}")
            continue
        check.need(len(data) <= MAX_DATAGRAM, f"{prefix}packet of {len(data)} bytes; expected at most {MAX_DATAGRAM}, the limit of UDP")
        if len(data) > MAX_UNFRAGMENTED:
            check.warn(f"packet of {len(data)} bytes; a network splits packets above {MAX_UNFRAGMENTED} bytes and may lose one part")
        changed = before != (packet.readout.tobytes(), packet.jounce_speed.tobytes())
        check.need(not changed, f"{prefix}changes its input; copy what must change")
