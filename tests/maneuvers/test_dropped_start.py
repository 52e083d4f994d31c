"""Does a vehicle that is dropped fall freely from its height, level, on steep and on soft ground, and drive off?"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from simulator.api.simulation import Simulation
from simulator.base.errors import ConfigError
from simulator.tools.terrain.benchmarks.verti_bench_terrain import soil_text

G = 9.80665


def dropped(terrain: Path, height: float, vehicle: str = "hmmwv_locked", **goal: object) -> Simulation:
    keys = {"position_m": [40, 0], "radius_m": 3, **goal}
    return Simulation(
        vehicle=vehicle,
        terrain=str(terrain),
        maneuver="goal_obstacles",
        changes={"maneuver.start.drop_m": height, "maneuver.goal": keys, "maneuver.planner": {"type": "pid", "speed_mps": 4}},
    )


@pytest.mark.parametrize(("grade", "cross"), [(70, 0), (0, 70), (-50, 50)])
def test_a_vehicle_falls_onto_a_slope_of_35_degrees(tmp_path: Path, grade: float, cross: float) -> None:
    file = tmp_path / "slope.yaml"
    file.write_text(f"type: flat\nsurface: asphalt\ngrade_percent: {grade}\ncross_grade_percent: {cross}\n", encoding="utf-8")
    sim = dropped(file, 1.0)
    start = sim["p_WB"].copy()
    assert start[2] > 1.0 and not sim["v_WB_B"].any() and sim["roll"] == sim["pitch"] == 0.0
    gaps = [0.0]
    for x, y, z in start + sim.session.readout[0]["p_BK"]:  # the heading is along x
        ahead = np.linspace(-0.4, 0.4, 81)
        gaps += [z - np.sqrt(0.4699**2 - d * d) - sim.ground.height(x + d, y) for d in ahead]
    assert 0.0 < min(gaps[1:]) < 0.05  # no wheel is in the ground, and the vehicle is no higher than needed
    sim.advance(1.0)
    assert np.isfinite(sim["p_WB"]).all() and 0.2 < sim["p_WB_z"] - sim.ground.height(*sim["p_WB"][:2]) < 3.0


def test_the_height_is_that_of_the_reference_point_and_the_fall_is_free(tmp_path: Path) -> None:
    file = tmp_path / "level.yaml"
    file.write_text("type: flat\nsurface: asphalt\n", encoding="utf-8")
    sim = dropped(file, 2.5)
    assert sim["p_WB_z"] == pytest.approx(2.5, abs=1e-12)
    sim.advance(0.4)
    # the center of mass falls freely, and the wheels move against the body
    assert sim["p_WB_z"] == pytest.approx(2.5 - 0.5 * G * 0.4**2, abs=0.03)
    sim.reset()
    assert sim["p_WB_z"] == pytest.approx(2.5, abs=1e-12)


def test_a_vehicle_drives_off_on_flat_snow_in_low_range_only(tmp_path: Path) -> None:
    """In high range the torque of the engine does not turn the wheels, which have sunk 0.3 m deep."""
    (tmp_path / "deep_snow.yaml").write_text(soil_text("snow"), encoding="utf-8")
    file = tmp_path / "snow.yaml"
    file.write_text(f"type: flat\nsoil: {tmp_path / 'deep_snow.yaml'}\n", encoding="utf-8")
    speeds = {}
    for low in (True, False):
        sim = dropped(file, 1.0, "hmmwv_rigid_tires", low_range=low)
        sim.advance(8.0)
        speeds[low] = sim["v_WB_B_x"]
        assert 0.2 < sim["sinkage_RL"] < 0.45
    assert speeds[True] > 2.0
    assert abs(speeds[False]) < 0.5


def test_a_dropped_vehicle_has_no_speed() -> None:
    with pytest.raises(ConfigError, match="drop"):
        Simulation(maneuver="goal_obstacles", changes={"maneuver.start": {"drop_m": 1.0, "speed_kph": 10}})
