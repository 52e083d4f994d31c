"""Vehicles on tires with temperatures and wear: balance of energy of a braking, columns of the log, a new start."""

from __future__ import annotations

import numpy as np
import pytest

import jounce
from simulator.base.records import record
from vehicles.command import COMMAND

ON_WARM_TIRES = {"vehicle.tires": "warm_mxv8"}
WHEELS = ("FL", "FR", "RL", "RR")


@pytest.mark.parametrize(("vehicle", "rise"), [("sedan", (30.0, 80.0)), ("sedan_esc", (5.0, 20.0))])
def test_a_braking_turns_the_kinetic_energy_into_heat(vehicle: str, rise: tuple[float, float]) -> None:
    """From 100 km/h with locked wheels, the tread takes a third of nearly all energy and warms up by tens of K; with ABS by a tenth of it."""
    car, ground, h = jounce.load_vehicle(vehicle, {"tires": "warm_mxv8"}), jounce.load_ground("flat"), 1e-3
    car.reset(ground, speed=100.0 / 3.6)
    m, s, command = car.model, car.space, record(COMMAND)
    mass, b = float(m.chassis[0]["mass"] + m.corners[0]["corner_mass"].sum()), m.body[0]
    state, start = s.state[0], float(s.tire_heat[0]["surface_temperature"].max())
    spinning = 0.5 * float((m.corners[0]["spin_inertia"] * state["wheel_spin"] ** 2).sum())
    energy, brakes, air, rolling = 0.5 * mass * car.speed**2 + spinning, 0.0, 0.0, 0.0
    command[0]["brake"] = 1.0
    while car.speed > 0.05:
        car.step(ground, command, h)
        brakes += h * abs(float((s.axles[0]["brake_torque"] * state["wheel_spin"]).sum()))
        air += h * 0.5 * float(b["air_density"] * b["drag_area"]) * car.speed**3
        rolling += h * float(s.tire_heat[0]["rolling_power"].sum())
    friction = float(s.tire_heat[0]["friction_work"].sum())
    assert friction + brakes + air + rolling == pytest.approx(energy, rel=0.015)
    assert rise[0] < float(s.tire_heat[0]["surface_temperature"].max()) - start < rise[1]
    car.reset(ground, speed=20.0)
    assert (s.tire_heat[0]["surface_temperature"] == 20.0).all()
    assert (s.tire_heat[0]["friction_work"] == 0.0).all() and (s.tire_heat[0]["tread_depth"] == 0.008).all()


def test_the_log_has_temperatures_pressure_power_and_depth() -> None:
    sim = jounce.Simulation("sedan", "flat", platform=None, changes=ON_WARM_TIRES)
    units = {
        "surface_temperature": "degC", "carcass_temperature": "degC", "gas_temperature": "degC", "pressure": "Pa", "friction_factor": "1",
        "rolling_power": "W", "friction_power": "W", "friction_work": "J", "tread_depth": "m",
    }  # fmt: skip
    sim.command(throttle=0.7, steering=0.2)
    sim.advance(3.0)
    assert {f"tire_{name}_{wheel}" for name in units for wheel in WHEELS} <= set(sim.log)
    assert {name: sim.read(f"tire_{name}_RL").unit for name in units} == units
    time = sim.log["time"]
    for wheel in WHEELS:
        power, work = sim.log[f"tire_friction_power_{wheel}"], sim.log[f"tire_friction_work_{wheel}"]
        assert work[-1] == pytest.approx(np.trapezoid(power, time), rel=0.02, abs=1.0)
        # sliding velocity of the tread by logged slips, in the direction of the logged force
        F_x, F_y, v = (sim.log[f"F_C_{wheel}_x"], sim.log[f"F_C_{wheel}_y"], sim.log["v_WB_B_x"])
        slip, angle = sim.log[f"slip_ratio_{wheel}"], sim.log[f"slip_angle_{wheel}"]
        fast = time > 2.0
        sliding = F_x * slip * v / np.maximum(1.0 - slip, 0.1) - F_y * v * np.tan(angle)
        assert np.trapezoid(sliding[fast], time[fast]) == pytest.approx(np.trapezoid(power[fast], time[fast]), rel=0.1, abs=20.0)
    assert jounce.Simulation("sedan", "flat", platform=None).log.keys().isdisjoint({"tire_friction_work_FL", "tire_pressure_FL"})
