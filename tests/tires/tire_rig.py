"""A wheel on a test rig: plane grounds, a driven wheel, a mass on a tire."""

from __future__ import annotations

import math
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np
import yaml

from simulator.base.jit import inline, kernel
from simulator.base.records import record
from terrain.ground import GROUND, GroundArrays
from terrain.soil import FIRM, SOIL
from vehicles.tires.contract import TREAD_STATE
from vehicles.tires.enveloping_contact import find_contact
from vehicles.tires.parameters import TIRE_OUT, WHEEL, tire_states
from vehicles.tires.terrain_cache import TERRAIN_CACHE
from vehicles.tires.tire import Tire, TireStates, tire_advance, tire_forces, tire_step
from vehicles.tires.tire_file import tire
from vehicles.tires.vertical_force import static_force

CONFIGS = Path(__file__).resolve().parents[2] / "configs" / "tires"


def mapping_of(name="tmeasy_hmmwv"):
    """Return the content of a shipped tire file, with that of its base."""
    content = yaml.safe_load((CONFIGS / f"{name}.yaml").read_text(encoding="utf-8"))
    return {**mapping_of(content.pop("base")), **content} if "base" in content else content


def parameters(name="tmeasy_hmmwv", **changes):
    """Return the tire of a shipped file, with changes."""
    file = tire({**mapping_of(name), **changes}, CONFIGS / f"{name}.yaml")
    return Tire(file.shared, file.own)


def soil(hardness=0.0, **values):
    """Return a SOIL record; default: sandy loam (15 %) of the Land Locomotion Laboratory (Wong 2008, table 2.3)."""
    loam = {"k_c": 5270.0, "k_phi": 1515040.0, "n": 0.7, "cohesion": 1720.0, "friction_angle": math.radians(29.0)}
    out = record(SOIL)
    for key, value in {**FIRM, "friction": 0.8, "slip_stretch": 1.0, **loam, "hardness": hardness, **values}.items():
        out[0][key] = value
    return out


def plane(soils=None, slope=(0.0, 0.0), hardness=1.0, spacing=0.5):
    """Return a ground: a plane through the origin; `hardness` a number, or an array over x that repeats along y."""
    p = record(GROUND)
    row = np.atleast_1d(np.asarray(hardness, dtype=np.float32))
    row = np.repeat(row, 4) if len(row) == 1 else row
    p[0]["spacing"], p[0]["slope"] = spacing, slope
    grid = np.ascontiguousarray(np.tile(row, (4, 1)))
    ids, soils = np.zeros(grid.shape, np.uint8), soil(hardness=1.0) if soils is None else soils
    return GroundArrays(p, np.zeros((4, 4), np.float32), grid, ids, soils)


def rig(name="tmeasy_hmmwv", ground=None, **changes):
    """Return one wheel at rest above the origin of a ground."""
    wheel = record(WHEEL)
    wheel[0]["a_W"] = 0.0, 1.0, 0.0
    return SimpleNamespace(
        p=parameters(name, **changes), s=TireStates(tire_states(1), record(TREAD_STATE), record(TERRAIN_CACHE)), wheel=wheel,
        out=record(TIRE_OUT), under=record(SOIL), ground=ground or plane(),
    )  # fmt: skip


def step(r, h=1e-3):
    """Take one step of the rig's tire; return its output record."""
    tire_step(r.p, r.s, 0, r.ground, r.under, h, r.wheel, r.out)
    return r.out[0]


def place(r, load=6400.0, v=(0.0, 0.0), spin=0.0):
    """Place the wheel where it carries the load at rest, with a velocity in the plane and a spin; let the soil carry it."""
    r.under[0] = r.ground.soils[0]
    r.under[0]["hardness"] = r.ground.hardness[0, 0]
    low, high = 0.0, 0.45
    for _ in range(60):
        depth = 0.5 * (low + high)
        low, high = (depth, high) if static_force(r.p.shared, r.under, depth)[0] < load else (low, depth)
    r.s.tires[0]["sinkage"], r.s.tires[0]["dent"] = static_force(r.p.shared, r.under, depth)[2], 0.0
    r.s.tires[0]["firm"], r.s.tires[0]["dug"] = r.ground.hardness[0, 0], 0.0
    r.wheel[0]["p_WK"] = 0.0, 0.0, r.p.shared[0]["radius"] - depth
    r.wheel[0]["v_WK_W"] = v[0], v[1], 0.0
    r.wheel[0]["spin"] = spin
    return r


def roll(r, distance=6.0, h=1e-3, steps=None):
    """Take steps until the tire has settled, with the wheel position fixed on an even ground."""
    speed = max(abs(r.wheel[0]["v_WK_W"][0]), abs(r.wheel[0]["v_WK_W"][1]), 0.4 * abs(r.wheel[0]["spin"]), 0.1)
    run(on_tire(r), h, steps or int(distance / speed / h) + 200)
    return r.out[0]


class OnTire(NamedTuple):
    """Arguments of the kernels for a rig."""

    p: Tire
    s: TireStates
    ground: Any
    under: Any
    wheel: Any
    out: Any


def on_tire(r):
    """Return the kernel arguments for the present state of a rig."""
    return OnTire(r.p, r.s, r.ground, r.under, r.wheel, r.out)


@inline
def advance(r, h):
    """Take one step of the tire of an OnTire; the earlier rut is that in `out`."""
    find_contact(r.p.shared, r.s.tires, 0, r.ground, r.under, r.s.windows, r.wheel, r.out)
    tire_forces(r.p, r.s, 0, r.under, h, r.wheel, r.out)
    tire_advance(r.s, 0, h, r.out)


@kernel
def run(r, h, steps):
    """Take many steps with a fixed wheel."""
    for _ in range(steps):
        advance(r, h)


@kernel
def bear(r, h, steps, load, log):
    """Move a wheel at its speed and spin with a mass that gives the load (N); the last rows (n, 5) of the log are force along, across and
    up [N], rut depth and its dug part [m]. An earlier rut, out["rut"], is used at every step."""
    k, o, state = r.wheel[0], r.out[0], r.s.tires[0]
    for j in range(steps):
        advance(r, h)
        k["v_WK_W"][2] += h * 9.81 * (o["F_W"][2] / load - 1.0)
        for axis in range(3):
            k["p_WK"][axis] += h * k["v_WK_W"][axis]
        at = j - steps + len(log)
        if at >= 0:
            for axis in range(3):
                log[at, axis] = o["F_C"][axis]
            log[at, 3], log[at, 4] = state["sinkage"], state["dug"]


@kernel
def swing(r, h, steps, motion, keeps):
    """Return the work [J] of the ground on a wheel moved around a closed cycle in this number of steps, positive and negative work
    separately.

    motion (5, 3) has mean, amplitude and phase [rad] of depth [m], speed along and across [m/s] and spin [rad/s]; the depth has one period
    per cycle, the others as many as the first number of the last row. keeps: True if the soil has a memory.
    """
    k, o = r.wheel[0], r.out[0]
    gained = lost = 0.0
    R, turn = r.p.shared[0]["radius"], 2.0 * math.pi / steps
    for j in range(steps):
        phase = turn * j
        depth, along, across, spin = motion[0], motion[1], motion[2], motion[3]
        k["p_WK"][2] = R - depth[0] - depth[1] * math.sin(phase + depth[2])
        k["v_WK_W"][2] = -depth[1] * turn / h * math.cos(phase + depth[2])
        n = motion[4, 0]
        k["v_WK_W"][0] = along[0] + along[1] * math.sin(n * phase + along[2])
        k["v_WK_W"][1] = across[0] + across[1] * math.sin(n * phase + across[2])
        k["spin"] = spin[0] + spin[1] * math.sin(n * phase + spin[2])
        k["p_WK"][0] += h * k["v_WK_W"][0]
        k["p_WK"][1] += h * k["v_WK_W"][1]
        if keeps:
            o["rut"] = max(o["rut"], r.s.tires[0]["sinkage"])
        advance(r, h)
        work = o["M_W"][1] * k["spin"]
        for axis in range(3):
            work += o["F_W"][axis] * k["v_WK_W"][axis]
        gained += h * max(work, 0.0)
        lost -= h * min(work, 0.0)
    return gained, lost


@kernel
def ride(r, h, steps, mass, gravity, locked):
    """Move a mass (kg) of constant attitude, free in x, y, z on one tire, under gravity (3,) in W; symplectic Euler.

    The spin is 0 when locked; otherwise the wheel turns with 7 kg m2 under the moment of the tire alone.
    """
    k, o = r.wheel[0], r.out[0]
    for _ in range(steps):
        advance(r, h)
        for j in range(3):
            k["v_WK_W"][j] += h * (o["F_W"][j] / mass + gravity[j])
            k["p_WK"][j] += h * k["v_WK_W"][j]
        if not locked:
            a = k["a_W"]
            k["spin"] += h * (o["M_W"][0] * a[0] + o["M_W"][1] * a[1] + o["M_W"][2] * a[2]) / 7.0
