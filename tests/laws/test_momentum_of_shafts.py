"""Does a free-floating vehicle conserve its angular momentum while its engine drives its wheels?"""

from __future__ import annotations

import numpy as np

from simulator.base.arrays import Array
from simulator.base.records import Record, record
from simulator.builder.builder import build_ground, build_vehicle
from tests.laws.corner_bodies import bodies_of
from tests.laws.free_vehicle import attitude, matrix
from tests.laws.vehicle_rig import led
from vehicles.command import COMMAND
from vehicles.drivetrain.drivetrain import drivetrain_reset
from vehicles.vehicle import Vehicle

TIME = 0.02


def of_the_shafts(p: Record, state: Record, spin: Array) -> Array:
    """Return the angular momentum in B of all shafts from the crankshaft to the half shafts."""
    p, s = p[0], state[0]
    mean = np.array([spin[:2].mean(), spin[2:].mean()])
    shafts = mean / p["final_ratio"]
    x = (p["engine_inertia"] + p["impeller_inertia"]) * s["engine_speed"] + p["turbine_inertia"] * s["turbine_speed"]
    end = s["shaft_end_speed"] if p["twist_stiffness"] > 0.0 else shafts.mean()  # elastic half shafts: before their twist
    x += p["driveshaft_inertia"] * end + p["shaft_inertia"] @ shafts
    y = p["box_inertia"] @ (mean / p["hub_ratio"]) + p["half_shaft_inertia"] * (spin / np.repeat(p["hub_ratio"], 2)).sum()
    return np.array([x, y, 0.0])


def angular_momentum(v: Vehicle, state: Record, shafts: Record) -> Array:
    """Return the angular momentum about the center of mass, in the world, at a state whose kinematics were evaluated last."""
    x, k, chassis = state[0], v.space.kinematics[0], v.model.chassis[0]
    parts = [(chassis["mass"], chassis["com"], chassis["inertia"], np.zeros(3), np.zeros(3))]
    for i in range(4):
        masses, motion = bodies_of(v.space.blocks, i)
        parts += zip(masses, motion["c"], motion["inertia"], motion["v_rel"], motion["w_rel"], strict=True)
    center = sum(part[0] * np.array(part[1]) for part in parts) / sum(part[0] for part in parts)
    L, w = of_the_shafts(v.model.drivetrain, shafts, x["wheel_spin"]), x["w_WB_B"]
    for mass, com, inertia, v_rel, w_rel in parts:
        momentum = mass * (x["v_WB_B"] + np.cross(w, com) + v_rel)
        L = L + np.cross(com - center, momentum) + matrix(inertia) @ (w + w_rel)
    L = L + k["axle"] @ (v.model.corners[0]["spin_inertia"] * x["wheel_spin"])
    return attitude(x["q_WB"]) @ L


def gained(h: float, whole: bool) -> Array:
    """Return the angular momentum gained in TIME at full throttle, steered, tumbling, without gravity and air."""
    v, ground = led(build_vehicle("hmmwv")), build_ground("flat")  # the arm stays at the stop where it begins
    p = ground.p.copy()
    p[0]["gravity"] = 0.0
    on, command = ground.arrays._replace(p=p), record(COMMAND)
    v.model.body[0]["air_density"] = 0.0
    v.model.drivetrain[0]["joint_couples"] = whole
    v.place(np.array([0.0, 0.0, 100.0]), 0.1, 0.2, 0.3)
    state = v.space.state[0]
    state["wheel_spin"], state["w_WB_B"] = 30.0, (0.3, 0.5, -0.4)
    drivetrain_reset(v.model.drivetrain, v.space.drivetrain, state["wheel_spin"], 1)
    command[0]["selector"], command[0]["throttle"], command[0]["steering"] = 1, 1.0, 1.0
    v.space.steering[0]["angle"] = -v.model.steering[0]["max_arm_angle"]
    found = []
    for n in range(round(TIME / h) + 1):
        before, shafts = v.space.state.copy(), v.space.drivetrain.copy()
        v.step(on, command, h)
        if n in (0, round(TIME / h)):
            found.append(angular_momentum(v, before, shafts))
    return found[1] - found[0]


def test_a_floating_vehicle_keeps_its_angular_momentum() -> None:
    """The error tends to zero with the step, as for a method of first order; without the couples of spinning and of bent shafts it does
    not."""
    for whole in (True, False):
        coarse, fine = gained(1e-3, whole), gained(5e-4, whole)
        limit = np.linalg.norm(2.0 * fine - coarse)
        print(whole, coarse, fine, limit)
        assert (limit < 0.02) == whole, limit
