"""Temperatures and wear of tires: balance of energy, closed forms, published figures of passenger car tires, effects on the forces."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
import pytest
import tire_rig

from simulator.base.errors import JounceError
from simulator.base.records import Record, record
from vehicles.axle_layout import AxleLayout, record_for
from vehicles.tires.callback_models import CARRIED
from vehicles.tires.contract import TIRE_INPUT, TIRE_OUTPUT, TREAD_STATE, TireModels
from vehicles.tires.parameters import TIRE_OUT, WHEEL, tire_states
from vehicles.tires.temperature import KELVIN, TIRE_HEAT_STATE, cool_tires
from vehicles.tires.terrain_cache import TERRAIN_CACHE
from vehicles.tires.tire_file import TireSet, tire
from vehicles.tires.tire_set import step_tires

WARM = tire_rig.mapping_of("warm_mxv8")
CITY, ROAD, HIGHWAY = 40.0 / 3.6, 80.0 / 3.6, 120.0 / 3.6
INSULATED = {
    **dict.fromkeys([name for name in WARM["temperature"] if "cooling" in name], 0.0),
    "road_conductance": 0.0, "gas_to_rim": 0.0, "friction_share": 1.0, "friction_factor": [1.0] * 5,
}  # fmt: skip


class Parameters(NamedTuple):
    tires: Record
    treads: TireModels
    tire_heat: Record


class Records(NamedTuple):
    tires: Record
    treads: Record
    tire_heat: Record
    seen: Record
    result: Record
    carried: Record
    wheels: Record
    contacts: Record
    under: Record
    windows: Record


class Rig(NamedTuple):
    """A wheel that rolls at a fixed height, with its parameters, for `TireSet`."""

    tires: TireSet
    m: Parameters
    s: Records
    ground: Any

    @property
    def state(self) -> Any:
        return self.s.tire_heat[0]

    @property
    def spring(self) -> float:
        """Return the radial deflection [m]."""
        return float(self.s.contacts[0]["tire_deflection"])


def mapping(name: str = "tmeasy_mxv8", **changes: Any) -> dict[str, Any]:
    """Return a tire with the temperatures and the wear of `warm_mxv8`; changes: of the section `temperature`."""
    sections = {"temperature": {**WARM["temperature"], **changes}, "wear": WARM["wear"]}
    return {**tire_rig.mapping_of(name), "nominal_pressure": 220e3, **sections}


def rig(name: str = "tmeasy_mxv8", load: float = 4000.0, **changes: Any) -> Rig:
    """Return a wheel that carries a load [N]."""
    content = mapping(name, **changes)
    tires = TireSet([tire(content, tire_rig.CONFIGS / f"{name}.yaml")], [1])
    under, shared = tire_rig.rig(name).under, tires.shared[0]
    depth = load / float(shared["stiffness"])
    depth -= float(shared["stiffness_growth"]) * depth**2 / float(shared["stiffness"])
    wheels = record(WHEEL)
    wheels[0]["a_W"], wheels[0]["p_WK"] = (0.0, 1.0, 0.0), (0.0, 0.0, shared["radius"] - depth)
    heat = record_for(TIRE_HEAT_STATE, AxleLayout(1, 1))
    s = Records(
        tire_states(1), record(TREAD_STATE), heat, record(TIRE_INPUT), record(TIRE_OUTPUT), record(CARRIED), wheels, record(TIRE_OUT), under,
        record(TERRAIN_CACHE),
    )  # fmt: skip
    m = Parameters(tires.shared, tires.treads, tires.heat)
    cool_tires(m, s)
    return Rig(tires, m, s, tire_rig.plane())


@tire_rig.kernel
def run(m, s, ground, h, steps):
    """Take steps with a fixed wheel; return the energy that the forces on the wheel take from it [J]."""
    k, o, taken = s.wheels[0], s.contacts[0], 0.0
    for _ in range(steps):
        step_tires(m, s, ground, h)
        for j in range(3):
            taken -= h * (o["F_W"][j] * k["v_WK_W"][j] + o["M_W"][j] * k["a_W"][j] * k["spin"])
    return taken


def roll(r: Rig, v: tuple[float, float], slip: float = 0.0, seconds: float = 1.0, h: float = 1e-3) -> float:
    """Roll at a velocity [m/s] with a drive slip for some seconds; return the energy taken from the wheel [J]."""
    wheel, radius = r.s.wheels[0], float(r.m.tires[0]["radius"])
    deflection = radius - float(wheel["p_WK"][2])
    wheel["v_WK_W"], wheel["spin"] = (*v, 0.0), (1.0 + slip) * v[0] / (radius - deflection / 3.0)
    return float(run(r.m, r.s, r.ground, h, round(seconds / h)))


@pytest.mark.parametrize("name", ["tmeasy_mxv8", "measured_mxv8", "magic_hmmwv", "fiala_hmmwv"])
@pytest.mark.parametrize(("v", "slip"), [((20.0, 0.0), 0.03), ((20.0, 1.5), 0.0), ((15.0, -0.8), -0.2), ((20.0, 0.0), -1.0)])
def test_an_insulated_tire_keeps_all_energy_that_the_wheel_loses(name: str, v: tuple[float, float], slip: float) -> None:
    r = rig(name, **INSULATED)
    roll(r, v, slip, 0.5)
    start, work = r.s.tire_heat.copy()[0], float(r.state["friction_work"][0])
    taken = roll(r, v, slip, 2.0)
    p, nodes = r.m.tire_heat[0], ("surface", "carcass", "gas")
    stored = sum(float(p[f"{one}_capacity"] * (r.state[f"{one}_temperature"] - start[f"{one}_temperature"])[0]) for one in nodes)
    assert stored == pytest.approx(taken, rel=1e-6)
    assert taken > 100.0
    friction = float(r.state["friction_work"][0]) - work
    o, wheel = r.s.contacts[0], r.s.wheels[0]
    radius = float(r.m.tires[0]["radius"]) - r.spring / 3.0
    sliding = o["F_C"][0] * (radius * wheel["spin"] - v[0]) - o["F_C"][1] * v[1]
    assert friction == pytest.approx(2.0 * sliding, rel=0.02), "friction force times sliding velocity"


def test_a_tire_at_rest_cools_exponentially() -> None:
    """Without conduction between the nodes, each has its own time constant C / K."""
    r = rig(surface_to_carcass=0.0, carcass_to_gas=0.0)
    for name in ("surface", "carcass", "gas"):
        r.state[f"{name}_temperature"] = 90.0
    run(r.m, r.s, r.ground, 1e-3, 200_000)
    p, t = WARM["temperature"], 200.0
    area = 0.205 * 2.0 * math.sqrt(0.313 * r.spring)
    losses = {"surface": p["surface_cooling"] + p["road_conductance"] * area, "carcass": p["carcass_cooling"], "gas": p["gas_to_rim"]}
    for name, loss in losses.items():
        expected = 20.0 + 70.0 * math.exp(-loss * t / p[f"{name}_capacity"])
        assert float(r.state[f"{name}_temperature"][0]) == pytest.approx(expected, abs=2e-3), name


def balance(speed: float, rolling: float, friction: float, area: float) -> list[float]:
    """Return the steady temperatures (surface, carcass, gas) above the surroundings from the heat flows [W] alone."""
    p = WARM["temperature"]
    inside, within = p["surface_to_carcass"], p["carcass_to_gas"]
    surface = p["surface_cooling"] + p["surface_cooling_by_speed"] * speed + p["road_conductance"] * area
    carcass = p["carcass_cooling"] + p["carcass_cooling_by_speed"] * speed
    A = [[surface + inside, -inside, 0.0], [-inside, carcass + inside + within, -within], [0.0, -within, within + p["gas_to_rim"]]]
    return np.linalg.solve(A, [p["friction_share"] * friction, rolling, 0.0]).tolist()


@pytest.fixture(scope="module")
def warmed() -> dict[float, Rig]:
    """Tires after two hours at several speeds, after 30 minutes under the negative speed."""
    out = {}
    for speed in (CITY, ROAD, HIGHWAY):
        r = rig()
        roll(r, (speed, 0.0), seconds=1800.0, h=2e-3)
        out[-speed] = r._replace(s=r.s._replace(tire_heat=r.s.tire_heat.copy()))
        roll(r, (speed, 0.0), seconds=5400.0, h=2e-3)
        out[speed] = r
    return out


@pytest.mark.slow
def test_steady_temperatures_balance_heat_and_agree_with_published_figures(warmed: dict[float, Rig]) -> None:
    rises = {}
    for speed in (CITY, ROAD, HIGHWAY):
        r = warmed[speed]
        area = 0.205 * 2.0 * math.sqrt(0.313 * r.spring)
        expected = balance(speed, float(r.state["rolling_power"][0]), float(r.state["friction_power"][0]), area)
        rises[speed] = [float(r.state[f"{name}_temperature"][0]) - 20.0 for name in ("surface", "carcass", "gas")]
        assert rises[speed] == pytest.approx(expected, rel=1e-3)
    assert rises[CITY][1] < rises[ROAD][1] < rises[HIGHWAY][1]
    assert 20.0 < rises[ROAD][1] < 35.0
    r = warmed[ROAD]
    pressure = float(r.state["pressure"][0])
    assert pressure / 220e3 == pytest.approx(1.10, abs=0.03), "about 10 % or 0.2 to 0.3 bar"
    assert (pressure + 101325.0) / (220e3 + 101325.0) == pytest.approx((20.0 + rises[ROAD][2] + KELVIN) / (20.0 + KELVIN))
    after_half_an_hour = float(warmed[-ROAD].state["carcass_temperature"][0]) - 20.0
    assert after_half_an_hour == pytest.approx(rises[ROAD][1], rel=0.02), "standard tests warm a tire up for 30 minutes"
    assert after_half_an_hour < rises[ROAD][1]


@pytest.mark.slow
def test_rolling_resistance_falls_with_the_ambient_temperature_as_in_the_standard(warmed: dict[float, Rig]) -> None:
    """UN R117 annex 6 and ISO 28580: 0.008 per K for passenger car tires; a cold tire has about 1.4 times the resistance of a warm one."""
    cooler, warmer = warmed[ROAD], rig(surroundings=30.0)
    roll(warmer, (ROAD, 0.0), seconds=7200.0, h=2e-3)
    low, high = (float(r.state["rolling_power"][0] / r.s.contacts[0]["F_C"][2]) for r in (warmer, cooler))
    assert math.log(high / low) / 10.0 == pytest.approx(0.008, abs=0.001)
    start = rig()
    roll(start, (ROAD, 0.0), seconds=1.0)
    cold = float(start.state["rolling_power"][0] / start.s.contacts[0]["F_C"][2])
    assert cold / high == pytest.approx(1.37, abs=0.05)


@pytest.mark.parametrize("name", ["tmeasy_mxv8", "measured_mxv8"])
def test_friction_stiffness_and_resistance_follow_the_temperatures(name: str) -> None:
    """A tire of 150 degC has 0.8 of the friction, as the same tire on a ground with 0.8 of the friction; warm gas carries more load."""
    steady = {"surface_capacity": 1e7, "carcass_capacity": 1e7, "gas_capacity": 1e7}
    hot, cold = rig(name, **steady), rig(name, **steady, friction_factor=[0.8] * 5)
    for r, surface, gas in ((hot, 150.0, 49.315), (cold, 20.0, 20.0)):
        r.state["surface_temperature"], r.state["gas_temperature"], r.state["carcass_temperature"] = surface, gas, 50.0
        roll(r, (20.0, 8.0), seconds=2.0)
    share = (1.1 * (220e3 + 101325.0) - 101325.0 + 25e3) / (220e3 + 25e3)
    assert float(hot.s.contacts[0]["F_C"][2] / cold.s.contacts[0]["F_C"][2]) == pytest.approx(share, rel=1e-4)
    cold.s.wheels[0]["p_WK"][2] = hot.s.wheels[0]["p_WK"][2]
    cold.state["gas_temperature"] = 49.315
    for r in (hot, cold):
        roll(r, (20.0, 8.0), seconds=2.0)
    assert hot.s.contacts[0]["F_C"] == pytest.approx(cold.s.contacts[0]["F_C"], rel=1e-3)
    moment = float(hot.state["rolling_power"][0] / hot.s.wheels[0]["spin"] / hot.s.contacts[0]["F_C"][2])
    assert moment == pytest.approx(0.0105 * 0.313, rel=1e-3), "the value of the file at 50 degC"


def test_wear_is_that_of_the_work_of_the_side_force() -> None:
    """Per distance, a small side force does the work F^2 / C. With 0.8 m/s2 (assumed), a car of 1600 kg loses about 110 mg/km [Giechaskiel
    2024], and its treads last some 60000 km."""
    r = rig()
    angle = 0.01
    roll(r, (20.0, 20.0 * angle), seconds=5.0)
    before, depth = float(r.state["friction_work"][0]), float(r.state["tread_depth"][0])
    roll(r, (20.0, 20.0 * angle), seconds=50.0)
    work = (float(r.state["friction_work"][0]) - before) / 1000.0
    force = abs(float(r.s.contacts[0]["F_C"][1]))
    stiffness = force / angle
    assert work == pytest.approx(force**2 / stiffness, rel=0.01)
    worn = 2.0 * (depth - float(r.state["tread_depth"][0])) / 0.008  # kg on a kilometer
    assert worn == pytest.approx(1.5e-8 * work * 1000.0, rel=1e-6)
    of_car = 4.0 * (1600.0 * 0.8 / 4.0) ** 2 / stiffness * 1.5e-8 * 1e9  # mg/km
    assert of_car == pytest.approx(110.0, rel=0.25)
    assert 40e3 < 1.6e6 / (0.25 * of_car) < 80e3, "km until 1.6 mm are left"
    r.state["friction_work"] = 1e9
    roll(r, (20.0, 0.0), seconds=0.1)
    assert r.state["tread_depth"] == 0.0


def test_a_tire_without_effects_rolls_as_one_without_temperatures() -> None:
    neutral = rig(friction_factor=[1.0] * 5, rolling_decrease=0.0, carcass_to_gas=0.0)
    plain = rig()
    plain = plain._replace(m=plain.m._replace(tire_heat=plain.m.tire_heat[:0]), s=plain.s._replace(tire_heat=plain.s.tire_heat[:0]))
    plain.s.tires[:] = tire_states(1)
    for r in (neutral, plain):
        roll(r, (20.0, 1.0), 0.02, seconds=2.0)
    assert neutral.state["surface_temperature"] > 21.0
    assert neutral.s.contacts.tobytes() == plain.s.contacts.tobytes()
    assert neutral.s.treads.tobytes() == plain.s.treads.tobytes()


def test_messages_of_the_sections() -> None:
    content = mapping(friction_factor=[1.0, 0.9])
    del content["nominal_pressure"]
    with pytest.raises(JounceError) as found:
        tire({**content, "bottoming_radius": 0.5}, "mine.yaml")
    lines = [str(one) for one in getattr(found.value, "errors", [found.value])]
    assert len(lines) == 3
    assert any("nominal_pressure: missing; expected the pressure of the gas" in line for line in lines)
    assert any("friction_factor" in line and "5 numbers, one for each friction_temperature" in line for line in lines)
    assert any("bottoming_radius" in line for line in lines)
    with pytest.raises(JounceError, match="surface_capacity: missing"):
        tire({**tire_rig.mapping_of("tmeasy_mxv8"), "nominal_pressure": 220e3, "temperature": {}}, "mine.yaml")
    only_wear = tire({**tire_rig.mapping_of("tmeasy_mxv8"), "wear": WARM["wear"]}, "mine.yaml")
    assert only_wear.heat[0]["points"] == 0 and only_wear.heat[0]["tread_mass"] == 2.0
    assert len(TireSet([tire(tire_rig.mapping_of("tmeasy_mxv8"), "mine.yaml")]).heat) == 0
