"""Complete wheel on soil: digging, ruts, pressure, lugs, edges of roads, and limits for any soil."""

import math
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
import tire_rig
import yaml
from test_crossing import cross

from simulator.base.errors import ConfigError
from terrain.pressure_sinkage import pressed_before
from terrain.soil import HALF_SPACE, SOIL, add_share, clear, finish_shares, soil
from vehicles.tires import tire
from vehicles.tires.rigid_wheel import PANELS, rut_forces
from vehicles.tires.tire import tire_forces
from vehicles.tires.tire_on_soil_modes import tire_mode
from vehicles.tires.vertical_force import NEVER, STANDING, soil_reaction
from vehicles.tires.wheel_on_soil import VIRGIN, arc_and_motion, contact_forces, earth_of, entry_angle, packing_of

MADE_OF = (tire,)
"""Modules imported by kernels of the rig, as in test_crossing."""

SOILS = Path(__file__).parents[2] / "configs" / "soils"
R, LOAD = 0.4699, 6400.0


def shipped(name, **changes):
    """Return the record of a shipped soil, with changes."""
    return soil({**yaml.safe_load((SOILS / f"{name}.yaml").read_text(encoding="utf-8")), **changes}, name)


def driven(ground, load, slip, speed=2.0, seconds=3.0, across=0.0, rut=0.0, **tire_keys):
    """Return means over the last half second (pull, side force, load, sinkage, dug) of a wheel at a slip, and its rig."""
    r = tire_rig.rig(ground=tire_rig.plane(ground, hardness=float(ground[0]["hardness"])), **tire_keys)
    tire_rig.place(r, load, (speed, across), speed / 0.4647 / (1.0 - slip))
    r.out[0]["rut"] = rut
    log = np.zeros((500, 5))
    tire_rig.bear(tire_rig.on_tire(r), 1e-3, int(seconds / 1e-3), load, log)
    return log.mean(axis=0), r


@pytest.mark.parametrize("speed", [0.1, 2.0, 30.0])
def test_a_slipping_wheel_digs_itself_in(speed):
    """Dry sand, 8 kN: at 80 % slip 0.7 R deep within 20 s, at 10 % less than 0.35 R, at any speed."""
    sand = shipped("dry_sand")
    assert driven(sand, 8000.0, 0.8, speed, 20.0)[0][3] >= 0.7 * R
    assert driven(sand, 8000.0, 0.1, speed, 20.0)[0][3] < 0.35 * R


def test_a_wheel_that_spins_in_place_digs_to_its_hub_and_gets_out_again():
    """At full spin without travel the wheel digs to its hub within seconds; when it is pulled out slowly, rolling, the hole stays
    behind."""
    r = tire_rig.place(tire_rig.rig(ground=tire_rig.plane(shipped("dry_sand"), hardness=0.0)), 8000.0, (0.0, 0.0), 10.0)
    log = np.zeros((10, 5))
    tire_rig.bear(tire_rig.on_tire(r), 1e-3, 6000, 8000.0, log)
    assert 0.75 * R < log[-1, 3] < 0.85 * R and log[-1, 2] == pytest.approx(8000.0, rel=0.02)
    r.wheel[0]["v_WK_W"][0], r.wheel[0]["spin"] = 0.5, 0.5 / 0.4647
    tire_rig.bear(tire_rig.on_tire(r), 1e-3, 8000, 8000.0, log)
    assert log[-1, 3] < 0.2 * R and log[-1, 4] < 0.01


def test_pull_on_dry_sand():
    """Maximum drawbar pull over load between 0.15 and 0.35, at a slip of 15 to 60 %; negative when rolling freely, at a skid of 3 %, braked
    and dug in; decreasing beyond its peak."""
    sand = shipped("dry_sand")
    pull = {s: driven(sand, LOAD, s)[0][0] / LOAD for s in (-0.5, -0.1, -0.03, 0.0, 0.1, 0.2, 0.3, 0.5, 0.8)}
    assert 0.15 < max(pull.values()) < 0.35 and max(pull, key=pull.get) in (0.2, 0.3, 0.5)
    assert pull[-0.5] < pull[-0.1] < pull[-0.03] < -0.05 < pull[0.0] < 0.0 < pull[0.1] < pull[0.2] and pull[0.8] < pull[0.5] < pull[0.3]


def test_side_grip_on_wet_clay():
    """At most 60 % of the side force on asphalt, at any slip angle."""
    most = {
        name: max(driven(shipped(name), LOAD, 0.0, across=-v)[0][1] for v in (0.3, 0.6, 1.0, 2.0)) for name in ("clayey_loam", "asphalt")
    }
    assert 0.4 < most["clayey_loam"] / most["asphalt"] <= 0.6


def test_frontal_bulldozing_counts_where_the_wheel_is_deep():
    """No effect on firm sand; on dry sand it reduces the pull by at most the load."""
    for name, lower in (("lete_sand", 0.0), ("dry_sand", 0.01)):
        ground = shipped(name)
        less = driven(ground, 8000.0, 0.1, bulldozing_ahead=0.0)[0][0] - driven(ground, 8000.0, 0.1)[0][0]
        assert lower * 8000.0 <= less < 0.5 * 8000.0
        assert less == 0.0 or name == "dry_sand"


def test_pull_has_no_bend_where_soil_begins_to_be_pushed_ahead():
    """On dry sand, pull over load changes slowly with the load, from 0.05 to 0.08 diameters of depth."""
    loads = np.arange(3000.0, 8001.0, 500.0)
    found = np.array([driven(shipped("dry_sand"), load, 0.1)[0] for load in loads])
    assert found[0, 3] < 0.055 * 2.0 * R < 0.08 * 2.0 * R < found[-1, 3]
    growth = np.diff(found[:, 0]) / 500.0
    assert np.abs(np.diff(growth)).max() < 0.02


def test_lugs_pull_more_and_dig_deeper():
    sand = shipped("dry_sand")
    smooth, lugs = (driven(sand, LOAD, 0.3, lug_height=height)[0] for height in (0.0, 0.03))
    assert 1.02 * smooth[0] < lugs[0] < 1.3 * smooth[0]
    assert smooth[3] + 0.003 < lugs[3]


def test_less_air_means_less_sinkage_and_more_pull():
    """Inflation from 240 to 70 kPa: both monotonic, and on firm soil the sinkage is close to that of Wong's elastic mode."""
    found = [driven(shipped("dry_sand"), 8200.0, 0.2, inflation_pressure=p, nominal_pressure=140e3)[0] for p in (240e3, 140e3, 100e3, 70e3)]
    assert all(b[3] < a[3] - 1e-3 and b[0] > a[0] + 50.0 for a, b in pairwise(found))
    p = tire_rig.parameters(inflation_pressure=70e3, nominal_pressure=140e3).shared[0]
    assert p["stiffness"] == pytest.approx(411120.92421 * 95.0 / 165.0)
    firm = shipped("lete_sand")
    k, n = float(firm[0]["k_c"] / p["width"] + firm[0]["k_phi"]), float(firm[0]["n"])
    modes = [tire_mode(k, n, R, float(p["width"]), 8200.0, pressure) for pressure in (95e3, 125e3, 165e3)]
    ours = [driven(firm, 8200.0, 0.0, inflation_pressure=q, nominal_pressure=140e3)[0][3] for q in (70e3, 100e3, 140e3)]
    assert not any(mode.rigid for mode in modes)
    for mine, mode in zip(ours, modes, strict=True):
        assert mine == pytest.approx(mode.sinkage, rel=0.35), "Wong's patch shrinks as the pressure grows, a chord as its root"
    with pytest.raises(ConfigError, match="nominal_pressure"):
        tire_rig.parameters("fiala_hmmwv", inflation_pressure=70e3)


@pytest.mark.parametrize(("start", "stop"), [(0.0, 1.0), (1.0, 0.0)])
def test_the_edge_of_a_road_is_no_curb(start, stop):
    """From sand onto a road with an edge half a meter wide and back, at 5 m/s: the load of a quarter car stays within 15 %."""
    x = np.arange(0.0, 60.25, 0.25)
    t = np.clip((x - 29.75) / 0.5, 0.0, 1.0)
    hardness = start + (stop - start) * t * t * (3.0 - 2.0 * t)
    r = tire_rig.place(
        tire_rig.rig(ground=tire_rig.plane(shipped("dry_sand"), hardness=hardness, spacing=0.25)), LOAD, (5.0, 0.0), 5.0 / 0.4647
    )
    quarter = np.array([r.wheel[0]["p_WK"][2], 0.0, LOAD / 9.81 - 70.0, 70.0])
    log = np.zeros((9000, 4))
    cross(tire_rig.on_tire(r), 1e-3, quarter, log)
    change = np.abs(log[3000:, 2] / LOAD - 1.0)
    assert change.max() < 0.15
    assert abs(log[-1, 3] - log[3000, 3]) > 0.05, "the rut is there on sand alone"


def test_a_second_wheel_rolls_easier_and_adds_little():
    """In the rut of the first wheel: less resistance, less drag when rolling freely, little additional sinkage; a light wheel rolls on the
    floor."""
    sand = shipped("dry_sand")
    rolling, _ = driven(sand, LOAD, -0.03)
    after, _ = driven(sand, LOAD, -0.03, rut=rolling[3])
    assert 0.75 * rolling[0] < after[0] < -10.0
    first, one = driven(sand, LOAD, 0.0)
    second, other = driven(sand, LOAD, 0.0, rut=first[3])
    light, _ = driven(sand, 0.25 * LOAD, 0.0, rut=first[3])
    assert 10.0 < other.out[0]["resistance"] < 0.7 * one.out[0]["resistance"]
    assert first[3] - 2e-3 < second[3] < 1.35 * first[3]
    floor = pressed_before(1.5315e6, 1.1, 0.0, 4e7, 0.0, first[3])[3]
    assert floor - 1e-3 < light[3] < first[3]


def test_the_rut_carries_the_load_of_the_soil_memory():
    """Eight points per arc in the kernel against fine steps over the same pressure, for a wheel without rebound: within 4 % of the load."""
    ground = shipped("dry_sand", exit_ratio=0.0, c1=0.0, c2=0.0, cohesion=0.0, friction_angle_deg=0.0)
    k, n = float(ground[0]["k_c"] / 0.3175 + ground[0]["k_phi"]), 1.1
    p = tire_rig.parameters().shared
    for rut in (0.0, 0.02, 0.05, 0.08):
        memory = pressed_before(k, n, 0.0, 4e7, 0.0, rut)
        for sinkage in (0.03, 0.055, 0.085, 0.12):
            theta = math.acos(1.0 - (sinkage - memory[3]) / R) if sinkage > memory[3] else 0.0
            fine = rut_forces(k, n, memory, (R, 0.3175), (0.0, theta, theta))[0]
            ours = soil_reaction(p, ground, 0.0, sinkage, (rut, 0.0), STANDING)[0]
            assert ours == pytest.approx(fine, abs=0.04 * max(fine, 3000.0))


def test_eight_points_an_arc_are_enough():
    for name in ("dry_sand", "lete_sand", "sandy_loam", "clayey_loam"):
        ground = shipped(name)
        for s_x, s_y in ((0.2, 0.0), (0.05, 0.1), (-0.3, 0.0), (0.8, 0.3)):
            arc, motion = arc_and_motion(ground, (entry_angle(0.12), 0.0), 0.0, (1.0, s_x, s_y, max(s_x, 0.0)))
            rough, fine = (contact_forces(earth_of(ground, 0.3, 1.0, 1.0), VIRGIN, (0.47, 0.3), arc, motion, m) for m in (1, PANELS))
            assert np.abs(np.array(rough[:7]) - fine[:7]).max() < 5e-3 * fine[0], (name, s_x, s_y)


SWEEPS = {
    # swept inputs: range and switching points
    "v_x": (60.0, (0.0, 4.0 * 0.4647, 0.1)),
    "v_y": (60.0, (0.0,)),
    "spin": (200.0, (0.0, 4.0 / 0.4647, 4.0 / 0.4647 / 0.9)),
    "depth": (0.5, (0.0, 0.0647)),
    "depth_rate": (10.0, (0.0,)),
    "sinkage": (0.5, (0.0, 5e-4, 0.05, 0.0474, 0.376, 0.0564)),
    "dug": (0.5, (0.0, 0.05)),
    "rut": (0.5, (0.0, 0.05, 0.0526)),
    "hardness": (1.0, (1.0, 0.0)),
    "firm": (1.0, (0.0, 1.0, 0.9999)),
    "slip_x": (4.0, (0.0, 0.01, 0.04, -0.11)),
    "slip_y": (4.0, (0.0, 0.01)),
}


@pytest.mark.parametrize("name", ["dry_sand", "clayey_loam"])
@pytest.mark.parametrize("quantity", SWEEPS)
def test_forces_are_continuous_at_every_switch(quantity, name):
    """Steps of a millionth of the range through every switch of every input, with the other inputs constant: no force changes by 1 % of the
    load."""
    step, places = SWEEPS[quantity][0] * 1e-6, SWEEPS[quantity][1]
    for place in places:
        for rut in (0.0, 0.05):
            for turn in (4.0 / 0.4647 / 0.85, 4.0 / 0.4647 * 0.8):
                forces = swept(quantity, place, step, shipped(name), rut, turn)
                assert np.isfinite(forces).all()
                assert np.abs(np.diff(forces, axis=0)).max() < 0.01 * LOAD, (place, rut, turn)


def swept(quantity, place, step, ground, rut, spin):
    """Return the forces (n, 3) of a rolling wheel that is evaluated without moving, around a value of one of its inputs."""
    r = tire_rig.place(tire_rig.rig(ground=tire_rig.plane(ground, hardness=0.0)), LOAD, (4.0, 0.2), spin)
    r.out[0]["rut"] = rut
    tire_rig.run(tire_rig.on_tire(r), 1e-3, 50)
    r.out[0]["rut"] = rut
    start = tuple(block.copy() for block in (r.s.tires, r.s.treads, r.out, r.wheel))
    forces = []
    for k in range(-6, 7):
        r.s.tires[:], r.s.treads[:], r.out[:], r.wheel[:] = start
        value, state, o = place + k * step, r.s.tires[0], r.out[0]
        if quantity == "spin":
            r.wheel[0]["spin"] = value
        elif quantity in ("sinkage", "dug"):
            state[quantity] = max(value, 0.0)
        elif quantity == "firm":
            state["firm"] = min(max(value, 0.0), 1.0)
        elif quantity.startswith("slip"):
            state["slip"]["xy".index(quantity[-1])] = value
        else:
            o[quantity] = min(max(value, 0.0), 1.0) if quantity == "hardness" else max(value, 0.0) if quantity == "rut" else value
        tire_forces(r.p, r.s, 0, r.under, 1e-3, r.wheel, r.out)
        forces.append(o["F_C"].copy())
    return np.array(forces)


def test_any_soil_and_any_state_give_finite_forces():
    """Soils at the ends of their ranges, and states and motions outside any drive."""
    rng = np.random.default_rng(5)
    ends = {
        "k_c": (-1e5, 1e9), "k_phi": (1e6, 1e10), "n": (0.05, 4.0), "cohesion": (0.0, 1e6), "friction_angle": (0.0, math.radians(60.0)),
        "shear_modulus": (1e-4, 1.0), "unit_weight": (0.0, 5e4), "c1": (0.0, 0.5), "c2": (0.0, 0.5), "exit_ratio": (-1.0, 0.0),
        "damping": (0.0, 1e8), "elastic_stiffness": (1e5, 1e12), "elastic_growth": (0.0, 1e13), "slip_sinkage": (0.0, 5.0),
        "tread_strength": (0.05, 1.0),
    }  # fmt: skip
    r = tire_rig.rig(lug_height=0.1)
    for k in range(1500):
        ground = tire_rig.soil(**{name: rng.choice([*low_high, rng.uniform(*low_high)]) for name, low_high in ends.items()})
        r.ground = tire_rig.plane(ground, hardness=rng.choice([0.0, 0.5, 1.0]))
        state = r.s.tires[0]
        state["sinkage"], state["firm"] = rng.choice([0.0, 1e-9, 0.05, 2.0]), rng.choice([0.0, 0.5, 1.0], 2)
        state["dug"], state["slip"] = rng.choice([0.0, state["sinkage"]]), rng.choice([-1e8, -0.1, 0.0, 0.2, 1e8], 2)
        r.wheel[0]["p_WK"][2] = rng.choice([-0.5, 0.0, 0.3, 0.46, 0.4699])
        r.wheel[0]["v_WK_W"] = rng.choice([-100.0, -1e-9, 0.0, 1e-3, 30.0], 3)
        r.wheel[0]["spin"] = rng.choice([-1e3, -1e-12, 0.0, 20.0, 1e3])
        r.out[0]["rut"] = rng.choice([0.0, 1e-12, 0.05, 1.0])
        for _ in range(2):
            o = tire_rig.step(r, rng.choice([1e-4, 1e-3, 5e-3]))
            assert np.isfinite(np.concatenate([o["F_W"], o["M_W"], [o["sinkage"]]])).all(), k
            assert all(np.isfinite(block[0][name]).all() for block in r.s for name in block.dtype.names), k


CYCLES = {
    # depth [m], speed along and across [m/s], spin [rad/s]: mean, amplitude, phase; cycles of the motion per cycle of the depth
    "up and down, standing": ((0.07, 0.02, 0.0), (0.0, 0.0, 0.0), (0.0, 0.0, 0.0), (0.0, 0.0, 0.0), (1.0, 0.0, 0.0)),
    "up and down, rolling": ((0.07, 0.02, 0.0), (2.0, 0.0, 0.0), (0.0, 0.0, 0.0), (4.303, 0.0, 0.0), (1.0, 0.0, 0.0)),
    "driven and braked": ((0.08, 0.01, 1.0), (2.0, 0.0, 0.0), (0.0, 0.0, 0.0), (4.3, 2.0, 0.5), (1.0, 0.0, 0.0)),
    "rocked": ((0.08, 0.01, 0.5), (0.0, 0.5, 1.5), (0.0, 0.0, 0.0), (0.0, 1.2, 0.7), (2.0, 0.0, 0.0)),
    "shaken on the spot": ((0.08, 0.0, 0.0), (0.0, 0.02, 1.5), (0.0, 0.02, 0.0), (0.0, 0.0, 0.0), (2.0, 0.0, 0.0)),
    "spun and lifted": ((0.15, 0.1, 0.0), (0.3, 0.0, 0.0), (0.0, 0.2, 0.0), (8.0, 8.0, 2.5), (1.0, 0.0, 0.0)),
    "slid sideways": ((0.08, 0.02, 2.0), (3.0, 0.0, 0.0), (0.0, 1.0, 0.0), (6.5, 0.0, 0.0), (1.0, 0.0, 0.0)),
}


@pytest.mark.parametrize("name", CYCLES)
def test_closed_cycles_give_no_energy(name):
    """In any repeated closed cycle the wheel gets at most as much work back from the soil as it put in, to a millionth."""
    for ground, lugs in ((shipped("dry_sand"), 0.0), (shipped("lete_sand"), 0.03), (shipped("clayey_loam"), 0.0)):
        for keeps in (False, True):
            r = tire_rig.place(tire_rig.rig(ground=tire_rig.plane(ground, hardness=0.0), lug_height=lugs), LOAD)
            for _ in range(4):
                gained, lost = tire_rig.swing(tire_rig.on_tire(r), 5e-4, 2000, np.array(CYCLES[name]), keeps)
            assert gained <= lost * (1.0 + 1e-6), (keeps, gained, lost)


def test_rut_of_a_press_is_lasting():
    """After unloading, soil with a memory rises only by its elastic part, and carries the same load where it was pressed."""
    ground, p = shipped("lete_sand"), tire_rig.parameters().shared
    down = soil_reaction(p, ground, 0.02, 0.02, NEVER, STANDING)
    again = soil_reaction(p, ground, 0.02, 0.02, (0.02, 0.0), STANDING)
    half = soil_reaction(p, ground, 0.02, 0.0195, (0.02, 0.0), STANDING)
    assert again[3] > 0.019 and half[0] < 0.3 * down[0]
    assert soil_reaction(p, ground, 0.02, again[3], (0.02, 0.0), STANDING)[0] == 0.0
    assert ground.dtype.names == tuple(row[0] for row in SOIL)


def test_a_blend_of_half_spaces_is_a_half_space():
    """A layer of 1000 m would flatten the tire over some millimeters, and the load would jump with the rounding of the blended depth."""
    soils, out, depths = np.concatenate([shipped("sandy_loam"), shipped("dry_sand")]), shipped("dry_sand"), set()
    for across, along in np.random.default_rng(1).uniform(0.0, 1.0, (300, 2)):
        clear(out)
        for i, share in enumerate((across * along, across * (1.0 - along), (1.0 - across) * along, (1.0 - across) * (1.0 - along))):
            add_share(soils, i % 2, share, out)
        finish_shares(out)
        depths.add(float(out[0]["depth"]))
        assert packing_of(out) == 0.0
    assert min(depths) < HALF_SPACE < max(depths), "both signs of rounding occur"
