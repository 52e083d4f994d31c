"""Synthesizer: states of a drive in, blocks of sound out. Equal states give equal samples."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from simulator.base.records import Record, record
from simulator.sound.controls import CONTROLS, MEMORY, update_controls
from simulator.sound.driveline_voice import DRIVELINE_VOICE, driveline_voice
from simulator.sound.engine_voice import ENGINE_VOICE, engine_voice
from simulator.sound.mixer import BAY, EXHAUST, GEARS, HITS, HORN, MIXER, RAIN, SOURCES, TIRES, WIND, mix, ways_of
from simulator.sound.other_voices import OTHER_VOICES, hit_voice, horn_voice, rain_voice, wind_voice
from simulator.sound.signals import BLOCK
from simulator.sound.tire_voice import TIRE_VOICE, tire_voice
from vehicles.sound_section import MAX_WHEELS

SEED = 0x9E37_79B9_7F4A_7C15
"""Seed of the random generators; every voice has another multiple of it."""


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
