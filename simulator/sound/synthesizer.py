"""Synthesizer: states of a drive in, blocks of sound out. Equal states give equal samples."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from simulator.base.jit import inline, kernel
from simulator.base.records import Record, record
from simulator.sound.controls import CONTROLS, MEMORY, update_controls
from simulator.sound.engine_voice import ENGINE_VOICE, engine_voice
from simulator.sound.mixer import BAY, EXHAUST, GEARS, HITS, HORN, MIXER, RAIN, SOURCES, TIRES, WIND, mix, ways_of
from simulator.sound.other_voices import OTHER_VOICES, hit_voice, horn_voice, rain_voice, wind_voice
from simulator.sound.signals import BLOCK, RATE, at_share, band_pass, next_random, noise_of, prewarped
from simulator.sound.tire_voice import TIRE_VOICE, tire_voice
from vehicles.sound_section import MAX_WHEELS

SEED = 0x9E37_79B9_7F4A_7C15
"""Seed of the random generators; every voice has another multiple of it."""


DRIVELINE_VOICE = (
    # name        shape      unit  description
    ("input", (), "1", "turns of the tone of the gears at the input"),
    ("ring", (), "1", "turns of the tone of the final drive"),
    ("turbo", (), "1", "turns of the tone of the turbocharger"),
    ("motor", (), "1", "turns of the tone of the poles of an electric motor"),
    ("motor_mesh", (), "1", "turns of the tone of its gear"),
    ("starter", (), "1", "turns of the tone of the starter"),
    ("compression", (), "1", "turns of the engine's compressions, which slow the starter"),
    ("strength", (), "1", "strength of the starter"),
    ("random", (), "1", "state of the random generator", "u8"),
    ("hiss", (2,), "1", "band-pass of the air in the turbocharger"),
)
"""State of the tones. `random` must not be 0."""
TAU = 2.0 * math.pi


@kernel
def driveline_voice(p, s, a, b, gears, bay):
    """Add the whine of gears and motors to one signal, and turbocharger and starter to that of the engine bay, (BLOCK,) each.

    p : VEHICLE_SOUND, s : DRIVELINE_VOICE, a, b : CONTROLS at the begin and at the end of the block
    """
    q, e = p[0], s[0]
    hiss = prewarped(5200.0)
    for i in range(BLOCK):
        t = (i + 1.0) / BLOCK
        e["random"] = next_random(e["random"])
        n = noise_of(e["random"])
        whine = at_share(a[0]["input_load"], b[0]["input_load"], t) * _tone(e, "input", _rate(a, b, "input_rate", t) * q["input_teeth"])
        whine += at_share(a[0]["ring_load"], b[0]["ring_load"], t) * _tone(e, "ring", _rate(a, b, "ring_rate", t) * q["ring_teeth"])
        gears[i] += 0.022 * whine
        if q["pole_pairs"] > 0:
            turns = _rate(a, b, "motor_rate", t)
            pull = at_share(a[0]["ring_load"], b[0]["ring_load"], t)
            gears[i] += (
                0.035 * pull * (_tone(e, "motor", 6.0 * q["pole_pairs"] * turns) + 0.6 * _tone(e, "motor_mesh", q["input_teeth"] * turns))
            )
        if q["turbo_speed"] > 0.0:
            turns = _rate(a, b, "turbo_rate", t)
            spun = min(1.0, turns * TAU / q["turbo_speed"])
            air = band_pass(e, "hiss", n, hiss, 1.0)
            bay[i] += spun * spun * (0.050 * _tone(e, "turbo", turns) + 0.05 * air * at_share(a[0]["load"], b[0]["load"], t))
        e["strength"] += 0.0008 * (at_share(a[0]["crank"], b[0]["crank"], t) - e["strength"])
        if e["strength"] > 1e-4:
            turns = _rate(a, b, "engine_rate", t)
            squeeze = 1.0 + 0.5 * math.sin(TAU * _turned(e, "compression", turns * q["cylinders"] / max(q["turns"], 1.0)))
            bay[i] += e["strength"] * squeeze * (0.07 * _tone(e, "starter", turns * q["starter_teeth"]) + 0.03 * n)


@inline
def _rate(a, b, name, t):
    return at_share(a[0][name], b[0][name], t)


@inline
def _turned(e, tone, frequency):
    """Advance a tone, a field of the state, by one sample and return its turns."""
    e[tone] += frequency / RATE
    e[tone] -= math.floor(e[tone])
    return e[tone]


@inline
def _tone(e, tone, frequency):
    """Return the next sample of a tone, a field of the state, with its octave; it fades above 9 kHz, before it would fold back."""
    angle = TAU * _turned(e, tone, frequency)
    heard = max(0.0, 1.0 - frequency / 9000.0)
    return heard * (math.sin(angle) + 0.35 * math.sin(2.0 * angle) * max(0.0, 1.0 - frequency / 5000.0))


class Synthesizer:
    """Sound of one vehicle.

    Parameters
    ----------
    vehicle : VEHICLE_SOUND

    Attributes
    ----------
    sources : (SOURCES, BLOCK) signals of the last block, before the mixer
    """

    def __init__(self, vehicle: Record) -> None:
        self._p = vehicle
        self._memory, self._before, self._controls = record(MEMORY), record(CONTROLS), record(CONTROLS)
        self._engine, self._driveline, self._tires = record(ENGINE_VOICE), record(DRIVELINE_VOICE), record(TIRE_VOICE, MAX_WHEELS)
        self._air, self._wet, self._hits, self._horn, self._mixer = (record(table) for table in (*(OTHER_VOICES,) * 4, MIXER))
        voices = (
            self._engine,
            self._driveline,
            self._air,
            self._wet,
            self._hits,
            self._horn,
            *(self._tires[i : i + 1] for i in range(MAX_WHEELS)),
        )
        for n, voice in enumerate(voices, 1):
            voice["random"] = (SEED * n) & (2**64 - 1)
        self._ways = ways_of(vehicle)
        self.sources = np.zeros((SOURCES, BLOCK))
        self._out, self._goal = np.zeros((BLOCK, 2)), np.zeros(2)
        self._fresh = True

    def block(self, state: Record | None) -> NDArray[np.float64]:
        """Return the next block (BLOCK, 2) for a record SOUND_INPUT of its end; None: nothing new, the controls stay. The array is reused."""
        self._before[:] = self._controls
        if state is None:
            self._controls["hit"], self._controls["stop"] = 0.0, 0.0
        else:
            update_controls(self._p, state, self._memory, self._controls)
            self._goal[0] = state[0]["inside"]
            self._goal[1] = 0.0 if state[0]["silent"] else float(state[0]["volume"]) ** 2
            if self._fresh:
                self._before[:], self._fresh = self._controls, False
                self._mixer["inside"] = state[0]["inside"]
        self._voices(self._before, self._controls)
        mix(self._mixer, *self._ways, self.sources, self._goal, self._out)
        return self._out

    def fade_out(self) -> None:
        """Let the next blocks fade to silence, until a state asks for sound."""
        self._goal[1] = 0.0

    def _voices(self, a: Record, b: Record) -> None:
        p, sources = self._p, self.sources
        sources[:] = 0.0
        engine_voice(p, self._engine, a, b, sources[BAY], sources[EXHAUST])
        driveline_voice(p, self._driveline, a, b, sources[GEARS], sources[BAY])
        for i in range(int(p[0]["wheels"])):
            tire_voice(self._tires, i, a, b, sources[TIRES + i])
        wind_voice(self._air, a, b, sources[WIND])
        rain_voice(self._wet, a, b, sources[RAIN])
        hit_voice(self._hits, b, sources[HITS])
        horn_voice(p, self._horn, a, b, sources[HORN])
