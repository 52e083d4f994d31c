"""TMeasy on hard ground: closed forms, rolling against the steady curves, friction bound, dissipation."""

import csv
import math
from pathlib import Path

import numpy as np
import pytest
import tire_rig

from simulator.builder.builder import build_soil
from vehicles.tires.moments import contact_length
from vehicles.tires.radial import effective_radius, radial_force
from vehicles.tires.tmeasy.steady_forces import axes_at, characteristic, force_at, slip_force, trail
from vehicles.tires.tmeasy.tread_friction import V_BREAK

DATA = Path(__file__).resolve().parents[1] / "data" / "tires"
P = tire_rig.parameters()
DIRECTIONS = [(1.0, 0.0), (0.0, 1.0), (0.6, 0.8), (-0.6, 0.8), (0.8, -0.6)]


def curve(q=1.0, m=1.0, direction=(1.0, 0.0), p=P):
    return characteristic(axes_at(p.tmeasy, q), m, direction[0] ** 2)


def force(c, s):
    return slip_force(c, s)[0]


def combined(p, load, s_x, s_y):
    """Return (F_x, F_y, slip over that of the peak) at a steady slip, by the textbook equations: with Rill's factors if the file selects
    them."""
    t, q = p.tmeasy[0], load / p.tmeasy[0]["load"]
    (ax, ay), (fx, fy), (fxs, fys) = (
        (force_at(t[f"{a}x{b}"], q), force_at(t[f"{a}y{b}"], q)) for a, b in (("df", "0"), ("f", "m"), ("f", "s"))
    )
    (mx, my), (sx, sy) = ([slip[0] + (slip[1] - slip[0]) * (q - 1.0) for slip in (t[f"sx{b}"], t[f"sy{b}"])] for b in "ms")
    hat_x, hat_y = mx / (mx + my) + fx / ax / (fx / ax + fy / ay), my / (mx + my) + fy / ay / (fx / ax + fy / ay)
    away = np.clip((math.hypot(s_x, s_y) - max(mx, my)) / (2.0 * max(sx, sy) - max(mx, my)), 0.0, 1.0)
    near = 1.0 - away * away * (3.0 - 2.0 * away) if t["combination"] else 0.0
    hat_x, hat_y = 1.0 + near * (hat_x - 1.0), 1.0 + near * (hat_y - 1.0)
    n_x, n_y = s_x / hat_x, s_y / hat_y
    s = math.hypot(n_x, n_y)
    c, d = n_x / s, n_y / s
    Fm, sm, Fs, ss = (math.hypot(x * c, y * d) for x, y in ((fx, fy), (mx / hat_x, my / hat_y), (fxs, fys), (sx / hat_x, sy / hat_y)))
    dF0 = math.hypot(ax * hat_x * c, ay * hat_y * d)
    F = slip_force((dF0, Fm, sm, Fs, ss, 1.0 / sm, dF0 * sm / Fm - 2.0), s)[0]
    return F * c, F * d, s / sm


@pytest.mark.parametrize("direction", DIRECTIONS)
@pytest.mark.parametrize("q", [0.1, 0.75, 1.0, 2.0, 3.5])
@pytest.mark.parametrize("m", [0.5, 1.0, 1.125])
def test_peak_slide_and_slope_are_those_of_the_parameters(q, m, direction):
    c = curve(q, m, direction)
    dF0, Fm, sm, Fs, ss = c[:5]
    assert force(c, sm) == pytest.approx(Fm, rel=1e-12)
    assert force(c, ss) == Fs and force(c, 50.0) == Fs
    assert force(c, 1e-9 * sm) == pytest.approx(dF0 * 1e-9 * sm, rel=1e-6)
    assert max(force(c, s) for s in np.linspace(0.0, 2.0 * ss, 2001)) <= Fm * (1.0 + 1e-12)


def test_pure_directions_take_the_values_of_the_file():
    values = P.tmeasy[0]
    for name, direction in (("x", (1.0, 0.0)), ("y", (0.0, 1.0))):
        for q, column in ((1.0, 0), (2.0, 1)):
            _, Fm, sm, Fs, ss = curve(q, 1.0, direction)[:5]
            assert (Fm, sm, Fs, ss) == pytest.approx(
                [values[f"{key}"][column] for key in (f"f{name}m", f"s{name}m", f"f{name}s", f"s{name}s")]
            )
            assert force_at(values[f"df{name}0"], q) == pytest.approx(values[f"df{name}0"][column])


@pytest.mark.parametrize("direction", DIRECTIONS)
@pytest.mark.parametrize("peak", [None, [6100.0, 11700.0]])
def test_force_is_c1_over_slip(direction, peak):
    """Both shapes of the decrease: two parabolas, and the cubic of a tire whose peak is close to sliding."""
    p = P if peak is None else tire_rig.parameters(fym=peak)
    c = curve(0.8, 1.0, direction, p)
    s = np.linspace(1e-6, 1.3 * c[4], 40001)
    F, slope = np.array([slip_force(c, x) for x in s]).T
    assert np.abs(np.diff(F)).max() < 1.01 * np.abs(slope).max() * (s[1] - s[0])
    assert np.abs(np.gradient(F, s)[1:-1] - slope[1:-1]).max() < 2e-3 * c[0]
    assert np.abs(np.diff(slope)).max() < 5e-3 * c[0]


def test_trail_falls_through_zero_and_ends():
    q = 1.0
    assert trail(P.tmeasy, q, 0.0) == pytest.approx(P.tmeasy[0]["nl0"][0])
    assert trail(P.tmeasy, q, -0.1) == trail(P.tmeasy, q, 0.1) > 0.0
    assert trail(P.tmeasy, q, P.tmeasy[0]["sq0"][0]) == pytest.approx(0.0, abs=1e-12)
    assert trail(P.tmeasy, q, 0.5) < 0.0 and trail(P.tmeasy, q, 1.03) == 0.0
    y = np.linspace(0.0, 1.1, 20001)
    n = np.array([trail(P.tmeasy, q, x) for x in y])
    assert np.abs(np.diff(n)).max() < 1e-4


@pytest.mark.parametrize("name", ["tmeasy_hmmwv", "tmeasy_chrono"])
@pytest.mark.parametrize(("v_y", "slip"), [(0.0, 0.03), (0.0, -0.08), (0.6, 0.0), (-0.9, 0.02), (2.0, -0.3), (6.0, 0.5), (0.0, 3.0)])
@pytest.mark.parametrize("speed", [1.0, -4.0, 25.0])
def test_rolling_steadily_gives_the_steady_force(name, v_y, slip, speed):
    r = tire_rig.rig(name)
    R0 = r.p.shared[0]["radius"]
    R_e = effective_radius(R0, 6400.0 / r.p.shared[0]["stiffness"])
    v = speed * (1.0 - slip), speed * v_y / 10.0
    o = tire_rig.roll(tire_rig.place(r, 6400.0, v, speed / R_e), distance=12.0)
    F_x, F_y, of_peak = combined(r.p, 6400.0, math.copysign(slip, slip * speed), -v[1] / abs(speed))
    behind_peak = 0.25 * (V_BREAK / speed) ** 2 if of_peak > 1.0 else 0.0
    assert o["F_C"][2] == pytest.approx(6400.0, rel=1e-9)
    assert o["F_C"][:2] == pytest.approx([F_x, F_y], rel=1e-6 + behind_peak, abs=1e-3)


@pytest.mark.parametrize(("surface", "peak", "kept"), [("snow", 1.9, 0.95), ("ice", 1.5, 0.96)])
def test_snow_and_ice_have_their_maximum_at_a_larger_slip_than_asphalt_and_drop_little(surface, peak, kept):
    """Usual coefficients of the Magic Formula: 1.7 and 2.1 times the slip at the maximum of dry asphalt, 0.95 and 0.96 of it at full sliding."""
    slips = np.array([*np.geomspace(0.01, 0.6, 40), 4.0])
    maximum = {}
    for name in ("asphalt", surface):
        forces = []
        for slip in slips:
            r = tire_rig.rig(ground=tire_rig.plane(build_soil(name)))
            v = 10.0 * (1.0 + slip), 0.0  # braking
            R_e = effective_radius(r.p.shared[0]["radius"], 6400.0 / r.p.shared[0]["stiffness"])
            forces.append(-float(tire_rig.roll(tire_rig.place(r, 6400.0, v, 10.0 / R_e), distance=12.0)["F_C"][0]))
        best = int(np.argmax(forces[:-1]))
        maximum[name] = slips[best], forces[-1] / forces[best]
    assert maximum[surface][0] == pytest.approx(peak * maximum["asphalt"][0], rel=0.15)
    assert maximum[surface][1] == pytest.approx(kept, abs=0.01) and maximum["asphalt"][1] < 0.93


def test_rows_of_another_code():
    """Steady forces and aligning moments by plain slips, computed by another program (tests/data/README.md)."""
    p = tire_rig.parameters("tmeasy_chrono")
    with (DATA / "tmeasy_rows.csv").open(encoding="utf-8") as file:
        rows = [{key: float(value) for key, value in row.items() if key != "id"} for row in csv.DictReader(file)]
    assert len(rows) == 78
    for row in rows:
        load, s_x, s_y, m = (row[key] for key in ("Fz", "s_x", "s_y", "mu_ratio"))
        q, s = min(load, p.shared[0]["load_max"]) / p.tmeasy[0]["load"], max(math.hypot(s_x, s_y), 1e-300)
        F = force(characteristic(axes_at(p.tmeasy, q), m, (s_x / s) ** 2), s)
        length = contact_length(p.shared, load / p.shared[0]["stiffness"])
        found = F * s_x / s, F * s_y / s, -F * s_y / s * length * trail(p.tmeasy, q, s_y)
        assert np.abs(np.subtract(found, [row[key] for key in ("Fx", "Fy", "Mz")])).max() < 1e-6 * load


def test_braking_reduces_side_force_with_normalized_slips():
    """At 6.5 kN, 2 degrees and a tenth of brake slip: plain slips increase the side force from 1495 to 1922 N, normalized ones reduce it to
    826."""
    values = {key: tire_rig.mapping_of("tmeasy_chrono")[key] for key in ("dfy0", "fym", "sym", "sys")}
    values |= {
        "fys": [5200.0, 9950.0],
        "combination": "plain",
        "fxm": [7703.547, 13315.367],
        "sxm": [0.10811, 0.12389],
        "fxs": [3954.57, 7252.543],
    }
    alpha = math.tan(math.radians(2.0))

    def side(slip, **changes):
        r = tire_rig.rig("tmeasy_hmmwv", **{**values, **changes})
        spin = 20.0 * (1.0 - slip) / effective_radius(r.p.shared[0]["radius"], 6500.0 / r.p.shared[0]["stiffness"])
        return tire_rig.roll(tire_rig.place(r, 6500.0, (20.0, -20.0 * alpha), spin))["F_C"][1]

    assert side(0.0) == pytest.approx(1495.0, abs=1.0) and side(0.1) == pytest.approx(1922.0, abs=1.0)
    assert side(0.0, combination="normalized") == pytest.approx(side(0.0), rel=1e-9)
    assert side(0.1, combination="normalized") == pytest.approx(826.0, abs=1.0)


@pytest.mark.parametrize("load", [2500.0, 6500.0, 13000.0])
@pytest.mark.parametrize(("speed", "h"), [(1.0, 1e-3), (5.0, 5e-3), (20.0, 1e-3), (30.0, 1e-3)])
def test_side_force_follows_over_the_same_distance_at_every_speed_and_load(load, speed, h):
    """63 % of the force of a degree of slip angle, over the slope of the curve there, is reached within the relaxation distance."""
    r = tire_rig.rig()
    spin = speed / effective_radius(r.p.shared[0]["radius"], load / r.p.shared[0]["stiffness"])
    tire_rig.roll(tire_rig.place(r, load, (speed, 0.0), spin), 3.0)
    r.wheel[0]["v_WK_W"][1] = -speed * math.radians(1.0)
    forces = np.array([tire_rig.step(r, h)["F_C"][1] for _ in range(int(4.0 / speed / h))])
    way = speed * h * (1 + np.argmax(forces > (1.0 - math.exp(-1.0)) * forces[-1]))
    assert 0.5 < way < 0.61
    assert forces[0] < (0.06 + speed * h / 0.5) * forces[-1]


def test_a_parked_wheel_resists_being_turned():
    """The limit is Gough's moment, independent of the turning rate; turning to and fro dissipates energy; on sand there is no twist."""
    most = 0.8 * 6600.0**1.5 / 3.0 / math.sqrt(137900.0)
    assert most == pytest.approx(385.0, abs=1.0)
    loops = []
    for period in (4.0, 0.5):
        r, h, moments, work = tire_rig.place(tire_rig.rig(), 6600.0), period / 4000.0, [], 0.0
        for k in range(8000):
            turn = math.radians(30.0) * 2.0 * math.pi / period * math.cos(2.0 * math.pi * k / 4000.0)
            r.wheel[0]["w_WK_W"][2] = turn
            moments.append(tire_rig.step(r, h)["M_C"][2])
            work -= h * turn * moments[-1] if k >= 4000 else 0.0
        assert 0.97 * most < max(moments) < most and max(moments) == pytest.approx(-min(moments), rel=1e-3)
        loops.append(work)
    assert loops[0] == pytest.approx(loops[1], rel=1e-9) and 0.5 < loops[0] / (most * math.radians(120.0)) < 1.0
    sand = tire_rig.place(tire_rig.rig(ground=tire_rig.plane(tire_rig.soil(), hardness=0.0)), 6600.0)
    sand.wheel[0]["w_WK_W"][2] = 1.0
    assert tire_rig.step(sand)["M_C"][2] == 0.0


def test_rolling_removes_the_twist():
    """Turning at a rate, the twist is that of a contact length; when the wheel drives on, it decays within a few contact lengths."""
    r = tire_rig.place(tire_rig.rig(), 6600.0, (0.0, 0.0), 0.0)
    R_e = effective_radius(0.4699, 6600.0 / r.p.shared[0]["stiffness"])
    length = contact_length(r.p.shared, 6600.0 / r.p.shared[0]["stiffness"])
    for speed in (0.5, 5.0, 30.0):
        r.wheel[0]["v_WK_W"][0], r.wheel[0]["spin"], r.wheel[0]["w_WK_W"][2] = speed, speed / R_e, 0.2
        o = tire_rig.roll(r, 3.0)
        dahl = 0.2 * 2400.0 / (0.8 * 6600.0**1.5 / 3.0 / math.sqrt(137900.0))
        assert o["M_C"][2] == pytest.approx(-2400.0 * 0.2 / (speed / length + dahl), rel=1e-3)
    r.wheel[0]["w_WK_W"][2] = 0.0
    assert abs(tire_rig.roll(r, 2.0)["M_C"][2]) < 1e-3


@pytest.mark.parametrize("speed", [15.0, -15.0])
def test_a_leaning_wheel_pushes_to_the_side_of_its_lean(speed):
    """Thrust of camber stiffness times camber, zero at standstill, limited by friction at any camber."""
    r = tire_rig.rig()
    pushes = {}
    for lean in (-0.02, 0.02, 1.0):
        tire_rig.place(r, 6400.0, (speed, 0.0), speed / 0.4647)
        r.wheel[0]["a_W"] = 0.0, math.cos(lean), math.sin(lean)
        r.wheel[0]["p_WK"][2] = 0.4544 * math.cos(lean)
        pushes[lean] = tire_rig.roll(r)["F_C"].copy()
    q = pushes[0.02][2] / r.p.tmeasy[0]["load"]
    assert pushes[0.02][1] == pytest.approx(-0.02 * force_at(r.p.tmeasy[0]["camber_stiffness"], q), rel=0.02)
    assert pushes[-0.02][1] == pytest.approx(-pushes[0.02][1], rel=1e-5)
    assert abs(pushes[1.0][1]) <= 0.9 * pushes[1.0][2]
    r = tire_rig.place(tire_rig.rig(), 6400.0)
    r.wheel[0]["a_W"] = 0.0, math.cos(0.1), math.sin(0.1)
    assert tire_rig.roll(r)["F_C"][1] == 0.0


def test_locked_wheel_slides_with_sliding_friction_against_its_velocity():
    for v in ((30.0, 0.0), (3.0, -4.0), (-20.0, 5.0), (0.3, 0.4)):
        r = tire_rig.place(tire_rig.rig(), 6400.0, v, 0.0)
        o = tire_rig.roll(r)
        speed = math.hypot(*v)
        Fs = curve(6400.0 / r.p.tmeasy[0]["load"], 1.0, (v[0] / speed, v[1] / speed))[3]
        assert o["F_C"][:2] == pytest.approx([-Fs * v[0] / speed, -Fs * v[1] / speed], rel=1e-6)


def test_friction_scales_the_peak():
    def best(mu):
        r = tire_rig.place(tire_rig.rig(ground=tire_rig.plane(tire_rig.soil(1.0, friction=mu))))
        forces = []
        for v_y in np.linspace(0.0, 8.0, 60):
            r.wheel[0]["v_WK_W"], r.wheel[0]["spin"] = (10.0, v_y, 0.0), 10.0 / 0.4647
            forces.append(-tire_rig.roll(r, 3.0)["F_C"][1])
        return max(forces)

    assert best(0.4) / best(0.8) == pytest.approx(0.5, rel=2e-3)


@pytest.mark.parametrize("h", [1e-4, 1e-3, 5e-3])
def test_force_never_leaves_the_friction_circle_and_never_feeds_a_sliding_wheel(h):
    """Random motion in each step: the force magnitude stays below the larger of the peaks, for any load."""
    rng = np.random.default_rng(7)
    r = tire_rig.place(tire_rig.rig(rolling_resistance=0.0))
    for _ in range(3000):
        r.wheel[0]["v_WK_W"] = rng.normal(0.0, 8.0, 3) * (1.0, 1.0, 0.1)
        r.wheel[0]["spin"] = rng.choice([0.0, 1.0, 30.0]) * rng.normal()
        r.wheel[0]["p_WK"][2] = rng.uniform(0.35, 0.48)
        F = tire_rig.step(r, h)["F_C"]
        q = min(F[2], r.p.shared[0]["load_max"]) / r.p.tmeasy[0]["load"]
        bound = max(force_at(r.p.tmeasy[0]["fxm"], q), force_at(r.p.tmeasy[0]["fym"], q))
        assert math.hypot(F[0], F[1]) <= bound * (1.0 + 1e-9) + 1e-6
        assert F[2] >= 0.0


@pytest.mark.parametrize("seed", range(4))
def test_steady_slip_dissipates(seed):
    """The power of the tire on the wheel, F . v + M . w, is never positive after the tread has settled."""
    rng = np.random.default_rng(seed)
    for _ in range(25):
        v = rng.normal(0.0, 8.0, 2)
        r = tire_rig.place(tire_rig.rig(), rng.uniform(2e3, 1.4e4), v, rng.normal(0.0, 30.0))
        lean = rng.choice([0.0, 0.15]) * rng.normal()
        r.wheel[0]["a_W"] = 0.0, math.cos(lean), math.sin(lean)
        o = tire_rig.roll(r, 8.0)
        spin = r.wheel[0]["spin"]
        assert o["F_W"] @ r.wheel[0]["v_WK_W"] + o["M_W"] @ r.wheel[0]["a_W"] * spin <= 1e-6 * abs(o["F_C"][2] * spin)


def test_thrust_of_a_leaning_wheel_is_paid_by_its_spin():
    """While the wheel drifts slowly to the side of its lean, the tire pushes it on; without rolling resistance, its spin supplies more than
    this power."""
    r = tire_rig.place(tire_rig.rig(rolling_resistance=0.0), 6400.0, (15.0, -0.05), 15.0 / effective_radius(0.4699, 0.0155))
    r.wheel[0]["a_W"] = 0.0, math.cos(0.1), math.sin(0.1)
    r.wheel[0]["p_WK"][2] = (0.4699 - 0.0155) * math.cos(0.1)
    o = tire_rig.roll(r)
    assert o["F_C"][1] * -0.05 > 5.0
    assert o["F_W"] @ r.wheel[0]["v_WK_W"] + o["M_W"] @ r.wheel[0]["a_W"] * r.wheel[0]["spin"] < 0.0


@pytest.mark.parametrize("phase", [0.5, 2.0, 3.5, 5.0])
def test_shaken_tread_takes_energy_in(phase):
    """The work along, across and about the normal over closed cycles of a wheel at standstill, with varying load, equals the dissipation of
    the tire."""
    r = tire_rig.place(tire_rig.rig())
    h, work, height = 1e-4, 0.0, r.wheel[0]["p_WK"][2]
    for amplitude in (1e-4, 1e-3, 1e-2, 5e-2):
        for k in range(4000):
            angle = 2.0 * math.pi * 5.0 * k * h
            r.wheel[0]["v_WK_W"] = amplitude * 31.4 * math.cos(angle), amplitude * 31.4 * math.sin(2.0 * angle), 0.0
            r.wheel[0]["w_WK_W"][2] = 10.0 * amplitude * 31.4 * math.cos(angle)
            r.wheel[0]["p_WK"][2] = height + 0.01 * math.sin(angle + phase)
            o = tire_rig.step(r, h)
            work -= h * (o["F_C"][:2] @ r.wheel[0]["v_WK_W"][:2] + o["M_C"][2] * r.wheel[0]["w_WK_W"][2])
        assert work > 0.0


def test_radial_force_is_never_negative_and_continuous():
    d = np.linspace(-0.05, 0.45, 50001)
    for rate in (-5.0, 0.0, 5.0):
        F = np.array([radial_force(P.shared, x, rate, 0.0)[0] for x in d])
        assert F.min() >= 0.0 and F[d <= 0.0].max() == 0.0
        assert np.abs(np.diff(F)).max() < (3e6 + 5.0 * 1.5e6) * (d[1] - d[0])
    assert radial_force(P.shared, 0.255, 0.0, 0.0)[0] - P.shared[0]["stiffness"] * 0.255 == pytest.approx(
        P.shared[0]["bottoming_stiffness"] * (0.255 - 0.25035)
    )
    assert radial_force(P.shared, P.shared[0]["give"], 0.0, 0.0)[0] == pytest.approx(P.shared[0]["strength"])
    assert radial_force(P.shared, 0.42, 50.0, 0.0)[0] == P.shared[0]["strength"], "rim and tire give way"


def test_moments():
    r = tire_rig.place(tire_rig.rig(), 6400.0, (15.0, 0.4), 15.0 / 0.465)
    o = tire_rig.roll(r)
    L = 2.0 * math.sqrt(r.p.shared[0]["radius"] * o["tire_deflection"])
    n = trail(r.p.tmeasy, 6400.0 / r.p.tmeasy[0]["load"], 0.4 / 15.0)
    assert o["M_C"][2] == pytest.approx(-o["F_C"][1] * L * n, rel=1e-3) and o["M_C"][2] > 0.0, "turns the wheel into its path"
    free = tire_rig.roll(tire_rig.place(tire_rig.rig(torque_radius=0.0), 6400.0, (15.0, 0.0), 15.0 / 0.465))
    assert free["M_C"][1] == pytest.approx(-0.015 * 6400.0 * r.p.shared[0]["radius"], rel=1e-3), "rolling resistance"


@pytest.mark.parametrize("lean", [0.1, -0.1, 0.3, 1.2])
def test_leaning_wheel_bears_on_its_lower_edge(lean):
    """Force and moment equal those of many thin discs side by side, where they touch."""
    r = tire_rig.place(tire_rig.rig(), 6400.0)
    r.wheel[0]["a_W"] = 0.0, math.cos(lean), math.sin(lean)
    r.wheel[0]["p_WK"][2] = (0.4699 - 0.0155) * math.cos(lean)
    o = tire_rig.step(r)
    y = (np.arange(20000) + 0.5) / 20000.0 * 0.254 - 0.127
    deep = np.maximum(0.0155 - y * math.tan(lean), 0.0) / 20000.0
    assert o["camber"] == pytest.approx(lean)
    assert o["F_C"][2] == pytest.approx(411120.92421 * deep.sum(), rel=1e-6)
    assert o["M_C"][0] == pytest.approx(411120.92421 * (y * deep).sum(), rel=1e-6)


def test_leaning_thin_disc_has_a_couple():
    r = tire_rig.place(tire_rig.rig("tmeasy_chrono"), 6400.0)
    r.wheel[0]["a_W"] = 0.0, math.cos(0.1), math.sin(0.1)
    o = tire_rig.step(r)
    assert o["M_C"][0] == pytest.approx(-(0.3175**2) / 12.0 * 411120.92421 * 0.1)
    assert o["depth"] == pytest.approx(0.4699 - r.wheel[0]["p_WK"][2] / math.cos(0.1), abs=1e-12)
