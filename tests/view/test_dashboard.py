"""Do the lamps and the charge of the gauges follow the vehicle, in a drive and in its log?"""

from __future__ import annotations

import math

import pytest

import jounce
from simulator.outlets.dashboard import FIELDS, Dashboard
from simulator.view.shared_state import extras


def drive(vehicle: str, **command: float) -> tuple[jounce.Simulation, list[dict[str, float]]]:
    """Two seconds on slippery asphalt after two seconds at full throttle, ten states in a second."""
    simulation = jounce.Simulation(vehicle, "flat", changes={"sensors": [], "soils.asphalt.friction": 0.35})
    simulation.command(throttle=1.0)
    simulation.advance(2.0)
    dashboard, e, shown = Dashboard(simulation.vehicle), extras(), []
    simulation.command(**command)
    for _ in range(20):
        simulation.advance(0.1)
        dashboard.fill(e[0])
        shown.append({name: float(e[0][name]) for name in FIELDS})
    return simulation, shown


@pytest.mark.parametrize("command, lamp", [({"brake": 1.0}, "abs_works"), ({"throttle": 1.0}, "stability_works")])
def test_the_lamp_of_a_controller_is_lit_while_it_acts(command, lamp):
    _, shown = drive("sedan_electric", **command)
    assert any(one[lamp] for one in shown)
    _, calm = drive("sedan_electric", throttle=0.05)
    assert not calm[-1][lamp], "and goes out"


def test_the_charge_is_that_of_the_battery():
    simulation, shown = drive("sedan_electric", throttle=1.0)
    p, used = simulation.vehicle.model.drivetrain[0], float(simulation.vehicle.space.drivetrain[0]["battery_used"])
    assert used > 0.0 and shown[-1]["charge"] < shown[0]["charge"] < float(p["battery_charge"])
    assert shown[-1]["charge"] == pytest.approx(float(p["battery_charge"]) - used / float(p["battery_capacity"]))


def test_an_engine_without_controllers_has_neither():
    _, shown = drive("sedan", brake=1.0)
    assert all(math.isnan(one["charge"]) and not one["abs_works"] for one in shown)


def test_a_log_shows_the_same():
    """From the columns that a log of this vehicle has, also of one that was written without them."""
    simulation, shown = drive("sedan_electric", brake=1.0)
    dashboard, e, vehicle = Dashboard(simulation.vehicle), extras(), simulation.vehicle
    columns = {
        f"{prefix}{name}": [state[0][name]] for prefix, table, state in vehicle.logged for name, *_ in table if state[0][name].ndim == 0
    }
    phases = next(state for prefix, _, state in vehicle.logged if prefix == "abs_")[0]["phase"]
    columns |= {f"abs_phase_{corner}": [phase] for corner, phase in zip(vehicle.corner_names, phases, strict=False)}
    dashboard.fill_from_log(e[0], {name: columns[name] for name in dashboard.columns}, 0)
    assert {name: float(e[0][name]) for name in FIELDS} == shown[-1]
    dashboard.fill_from_log(e[0], {}, 0)
    assert math.isnan(e[0]["charge"]) and not e[0]["abs_works"]
