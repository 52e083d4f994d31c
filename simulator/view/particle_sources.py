"""Sources of particles at wheels and exhaust: what a vehicle throws up on the ground it drives on. No OpenGL here."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from simulator.base.records import Record
from simulator.view.light import Light
from simulator.view.particles import NAMES, sources
from simulator.view.shot import rotation
from simulator.view.terrain_data import TerrainData, is_coated, is_paved, soil_color
from simulator.view.vehicle_states import rotations

DUSTY = {"mud": 0.0, "snow": 0.0, "ice": 0.0, "wet": 0.0, "peat": 0.3, "grass": 0.3, "sand": 0.9, "clay": 0.8, "silt": 1.0, "regolith": 1.0}
"""Dust of dry soils by a word in their names, 0 = none; other soils have PLAIN_DUST. Assumed."""
PLAIN_DUST, GRAVEL_DUST = 0.8, 0.6
GRAVEL = (150, 142, 130)
"""sRGB color of dust of gravel."""
HAZY = np.array([0.42, 0.38, 0.31])
"""Linear color that air full of fine dust adds to half of the color of the soil: dust is paler than the ground below it."""
SPRAY, SNOW, SMOKE, SOOT = (0.80, 0.84, 0.88), (1.15, 1.20, 1.25), (0.62, 0.63, 0.66), (0.09, 0.088, 0.085)
"""Linear colors of spray, of snow, through which the light is scattered, of smoke of tires and vapor, and of smoke of diesel engines."""
WETTING_RAIN = 2.0
"""mm/h. Rain rate at which the ground is wet, so that there is no dust."""
LOADED = 800.0
"""N. Wheel load with full effect; a lifted wheel throws up nothing."""
BURNS = (4e3, 3e4)
"""W. Sliding power of a tire at which it begins to smoke, and range up to full smoke. Assumed."""
NEAREST, WITHIN = 6, 90.0
"""Number of other vehicles with particles, and their greatest distance [m]."""
SPARK, DIESEL = 1.0, 2.0
"""Values of the row `exhaust` of the geometry; 0: no engine."""


class Soils(NamedTuple):
    """Properties of the soils of a terrain (n,), by their number."""

    dust: NDArray[np.float64]
    color: NDArray[np.float64]
    """Linear color of the loose soil, and of gravel (n, 2, 3)"""
    wet: NDArray[np.float64]
    """1: its hard surface is wet"""
    snow: NDArray[np.float64]
    mud: NDArray[np.float64]
    gravel: NDArray[np.float64]
    """1: its hard surface is gravel"""
    asphalt: NDArray[np.float64]
    """1: its hard surface is asphalt, on which tires smoke"""

    @staticmethod
    def of(terrain: TerrainData) -> Soils:
        """Return the properties of the soils of a terrain."""
        names = [name.lower() for name in terrain.soil_names] or ["soil"]
        loose = [name.rpartition(" on ")[2] for name in names]
        hard = [name.split(" on ")[0] for name in names]
        dust = [next((value for word, value in DUSTY.items() if word in name), PLAIN_DUST) for name in loose]
        colors = np.array([[soil_color(name), GRAVEL] for name in loose]) / 255.0
        has = lambda word, of: np.array([float(word in name) for name in of])  # noqa: E731 (short)
        gravel = np.array([float(not is_paved(name)) for name in hard])
        asphalt = np.array([float(is_paved(name) and not is_coated(name)) for name in hard])
        snow = np.maximum(has("snow", loose), has("snow", hard))
        return Soils(np.array(dust), colors * colors, has("wet", hard), snow, has("mud", loose), gravel, asphalt)


class Contact(NamedTuple):
    """Wheels on the ground (n wheels)."""

    place: NDArray[np.float64]
    """(n, 3) lowest points of the wheels in W [m]"""
    velocity: NDArray[np.float64]
    """(n, 3) velocity of the wheel centers in W [m/s]"""
    sliding: NDArray[np.float64]
    """(n, 3) velocity of the tread on the ground, relative to the ground, in W [m/s]"""
    power: NDArray[np.float64]
    """(n,) sliding power [W]"""
    load: NDArray[np.float64]
    """(n,) 0 = lifted, 1 = on the ground"""
    hardness: NDArray[np.float64]
    """(n,) 1 = road, 0 = soil"""


class ParticleSources:
    """Sources of the vehicle and of the nearest others, on a terrain in its weather. geometry: checked rows of GEOMETRY."""

    def __init__(self, terrain: TerrainData, geometry: Mapping[str, Any], light: Light) -> None:
        self._terrain, self._soils = terrain, Soils.of(terrain)
        self._wet = max(light.wet, min(terrain.weather.rain_mmph / WETTING_RAIN, 1.0))
        self._snow = float(light.snow > 0.4)
        self._radius, self._exhaust = geometry["tire_radius"], float(geometry["exhaust"])
        self._full_speed = max(float(geometry["governed_speed"]), 1.0)
        length, width, overhang = geometry["outline"]
        rear = float(geometry["wheel_x"].max()) + overhang - length
        self._pipe = np.array([rear, -0.28 * width, float(geometry["wheel_z"].mean()) - 0.05])
        self._others: tuple[float, dict[int, NDArray[np.float64]]] = (-np.inf, {})
        """Time of the last state, and positions of the other vehicles by their rows"""
        self._before: NDArray[np.float64] | None = None
        """Places of the sources in the last state"""

    def of_vehicle(self, state: Record) -> Record:
        """Return the sources of the vehicle in a state (fields of STATE), which follows the last one."""
        out = np.concatenate((self._of_wheels(self._contact(state[0])), self._of_exhaust(state[0])))
        out["before"] = out["place"] if self._before is None else self._before
        self._before = out["place"].copy()
        return out

    def _contact(self, s: Any) -> Contact:
        R_WB = rotation(s["q_WB"])
        v_B = s["v_WB_B"] + np.cross(s["w_WB_B"], s["p_BK"])
        v_K = np.einsum("nji,nj->ni", s["R_BK"], v_B)
        slip_K = np.zeros_like(v_K)
        slip_K[:, 0], slip_K[:, 1] = v_K[:, 0] - s["wheel_spin"] * self._radius, v_K[:, 1]
        force = np.nan_to_num(s["F_C"])
        R_WK = R_WB @ s["R_BK"]
        place = s["p_WB"] + s["p_BK"] @ R_WB.T - self._radius[:, None] * R_WK[:, :, 2] * [1.0, 1.0, 0.97]
        power = np.abs(force[:, :2] * slip_K[:, :2]).sum(axis=1)
        sliding = np.einsum("nij,nj->ni", R_WK, slip_K)
        return Contact(
            place, v_B @ R_WB.T, sliding, power, np.clip(force[:, 2] / LOADED, 0.0, 1.0), np.clip(np.nan_to_num(s["hardness"]), 0.0, 1.0)
        )

    def _of_wheels(self, c: Contact) -> Record:
        """Return the sources (5 per wheel) of wheels on the ground."""
        soil = self._soil_at(c.place)
        amounts, flights = self._amounts(c, soil), self._flights(c, soil)
        out = sources(len(amounts) * len(soil))
        for row, (name, (rate, opacity)) in enumerate(amounts.items()):
            one = out[row * len(soil) : (row + 1) * len(soil)]
            one["place"], one["kind"], one["ground"] = c.place, NAMES.index(name), c.place[:, 2] - 0.02
            one["rate"], one["opacity"] = rate * c.load, opacity
            one["color"], one["velocity"] = flights[name]
        return out

    def _amounts(self, c: Contact, soil: NDArray[np.int64]) -> dict[str, tuple[NDArray[np.float64], Any]]:
        """Return the rates [1/s] and opacities of the kinds of particles of wheels on soils. Assumed; chosen by the look."""
        soils = self._soils
        speed, slip = np.hypot(*c.velocity[:, :2].T), np.hypot(*c.sliding[:, :2].T)
        loose, snow = 1.0 - c.hardness, np.maximum(soils.snow[soil], self._snow)
        wet, mud = np.maximum(self._wet, soils.wet[soil] * c.hardness), np.maximum(self._wet, soils.mud[soil])
        activity = np.minimum(np.clip((speed - 2.0) / 12.0, 0.0, 1.0) + np.clip(slip / 6.0, 0.0, 1.0), 1.5)
        dry = (1.0 - wet) * (1.0 - snow)
        dust = dry * activity * (loose * soils.dust[soil] + GRAVEL_DUST * c.hardness * soils.gravel[soil])
        burn = dry * c.hardness * soils.asphalt[soil] * np.clip((c.power - BURNS[0]) / BURNS[1], 0.0, 1.0)
        splash = wet * c.hardness * (1.0 - snow) * np.clip((speed - 4.0) / 18.0, 0.0, 1.0)
        thrown = (
            loose * (0.25 + 0.75 * mud) * np.clip(np.maximum(slip - 1.5, 0.0) / 5.0 + mud * np.maximum(speed - 4.0, 0.0) / 30.0, 0.0, 1.0)
        )
        return {
            "dust": (24.0 * dust, 0.20 + 0.30 * np.minimum(dust, 1.0)),
            "powder": (26.0 * snow * activity, 0.4),
            "spray": (34.0 * splash, 0.10 + 0.12 * np.clip(speed / 30.0, 0.0, 1.0)),
            "smoke": (26.0 * np.sqrt(burn), 0.1 + 0.38 * burn),
            "clods": (45.0 * thrown, 1.0),
        }

    def _flights(self, c: Contact, soil: NDArray[np.int64]) -> dict[str, tuple[Any, NDArray[np.float64]]]:
        """Return the linear colors and first velocities [m/s] of the kinds of particles: with the tread, and carried along by the vehicle."""
        color, mud = self._soils.color[soil], np.maximum(self._wet, self._soils.mud[soil])[:, None]
        speed, slip = np.hypot(*c.velocity[:, :2].T)[:, None], np.hypot(*c.sliding[:, :2].T)[:, None]
        up, level = np.array([0.0, 0.0, 1.0]), np.array([1.0, 1.0, 0.0])
        gravel = (c.hardness * self._soils.gravel[soil] > 0.5)[:, None]
        carried = 0.3 * c.velocity + 0.06 * c.sliding + (0.3 + 0.03 * speed) * up
        return {
            "dust": (0.5 * np.where(gravel, color[:, 1], color[:, 0]) + HAZY, carried),
            "powder": (SNOW, carried),
            "spray": (SPRAY, 0.5 * c.velocity + (0.4 + 0.05 * speed) * up),
            "smoke": (SMOKE, 0.2 * c.velocity + 0.08 * c.sliding + 0.4 * up),
            "clods": (
                color[:, 0] * np.where(mud > 0.5, 0.35, 0.6),
                0.45 * (c.velocity + c.sliding * level) + (1.0 + 0.28 * np.minimum(slip + speed, 14.0)) * up,
            ),
        }

    def _of_exhaust(self, s: Any) -> Record:
        """Return the source of the exhaust pipe: vapor at idle, smoke under load, which is dark from a diesel engine."""
        out, R_WB = sources(1), rotation(s["q_WB"])
        runs = float(s["engine_speed"]) > 20.0 and self._exhaust > 0.0
        revs, load = min(max(float(s["engine_speed"]) / self._full_speed, 0.0), 1.2), min(max(float(s["throttle"]), 0.0), 1.0)
        diesel = self._exhaust == DIESEL
        out["place"] = s["p_WB"] + R_WB @ self._pipe
        out["velocity"] = R_WB @ (0.7 * s["v_WB_B"] + [-1.0 - 3.0 * revs, 0.0, 0.0])
        out["rate"], out["kind"] = runs * (10.0 + 20.0 * load), NAMES.index("exhaust")
        out["opacity"] = 0.05 + (0.10 if diesel else 0.07) * load * load
        out["color"] = np.array(SOOT) * load + np.array(SMOKE) * (1.0 - load) if diesel else SMOKE
        out["ground"] = out["place"][:, 2] - 2.0
        return out

    def of_others(self, time: float, states: Record, eye: NDArray[np.float64]) -> Record:
        """Return the sources of the nearest other vehicles; their speed comes from their last places."""
        before, places = self._others
        self._others = time, {int(one["row"]): one["p_WB"].copy() for one in states}
        out = sources(0)
        away = np.linalg.norm(states["p_WB"] - eye, axis=1) if len(states) else np.zeros(0)
        dt = time - before
        for k in np.argsort(away, kind="stable")[:NEAREST] if 0.0 < dt < 1.0 else ():
            last = places.get(int(states[k]["row"]))
            if away[k] < WITHIN and last is not None:
                one = self._of_other(states[k], (states[k]["p_WB"] - last) / dt)
                one["before"] = one["place"] - (states[k]["p_WB"] - last)
                out = np.concatenate((out, one))
        return out

    def _of_other(self, s: Any, velocity: NDArray[np.float64]) -> Record:
        """Return the sources of the wheels of another vehicle, which roll."""
        place = s["p_WB"] + s["p_BK"].astype(float) @ rotations(s["q_WB"][None])[0].T
        ground = np.array([self._terrain.height(float(x), float(y)) for x, y, _ in place])
        load = ((np.abs(s["p_BK"]).sum(axis=1) > 0.0) & (np.abs(place[:, 2] - ground) < 1.2)).astype(float)
        place[:, 2] = ground
        row, column = self._node_at(place)
        hardness = self._terrain.hardness[row, column] / 255.0
        zero = np.zeros((len(place), 3))
        return self._of_wheels(Contact(place, zero + velocity, zero, zero[:, 0], load, hardness))

    def _node_at(self, place: NDArray[np.float64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        t = self._terrain
        rows, columns = t.heights.shape
        v, u = (t.inside((place[:, axis] - t.origin[axis]) / t.spacing[axis], count) for axis, count in ((1, rows), (0, columns)))
        return np.rint(v).astype(np.int64), np.rint(u).astype(np.int64)

    def _soil_at(self, place: NDArray[np.float64]) -> NDArray[np.int64]:
        row, column = self._node_at(place)
        return np.minimum(self._terrain.soil_ids[row, column].astype(np.int64), len(self._soils.dust) - 1)
