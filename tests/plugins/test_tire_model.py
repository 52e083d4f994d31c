"""A plugin tire model (`brush`): its forces, a car with it, and its compilation separate from the shipped step."""

from __future__ import annotations

import math
import subprocess
import sys
import uuid
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
import yaml

from simulator.base.callbacks import callback, records_at
from simulator.base.errors import ConfigError, JounceError
from simulator.base.fields import Field, Number
from simulator.base.records import Record, record
from simulator.builder.builder import build_vehicle, data_folder
from simulator.configuration.configuration import configuration
from simulator.configuration.overrides import changes
from simulator.outlets.telemetry import TelemetryOutlet
from simulator.run.run import run_maneuver
from simulator.telemetry.parquet import read_telemetry
from tests.end_to_end.program import ROOT, environment
from tests.laws.vehicle_rig import command, drive, ground, track
from tests.plugins import brush
from tests.tires import tire_rig
from vehicles.axle_layout import AxleLayout, record_for
from vehicles.linearize import linearize
from vehicles.ode_system import VehicleOde
from vehicles.tires.callback_models import CARRIED
from vehicles.tires.contract import FORCES, HELD, TIRE_INPUT, TIRE_OUTPUT, TREAD_STATE, TireModels
from vehicles.tires.kinds import register
from vehicles.tires.parameters import TIRE_OUT, WHEEL, tire_states
from vehicles.tires.rim_reaction import rim_reaction
from vehicles.tires.temperature import TIRE_HEAT_STATE
from vehicles.tires.tire_file import TireSet, tire
from vehicles.tires.tire_set import step_tires
from vehicles.vehicle import Vehicle

TIRE = {
    "type": "brush", "radius": 0.4699, "width": 0.3175, "stiffness": 411120.9, "stiffness_growth": 0.0, "damping": 3931.7,
    "bottoming_radius": 0.21955, "bottoming_stiffness": 2055604.6, "load_max": 30000.0, "friction": 0.8, "rolling_resistance": 0.015,
    "torque_radius": 1.0, "bulldozing": 1.0, "bristles": 1e7, "mu": 0.8, "carcass_stiffness": 250e3, "carcass_damping": 2000.0,
}  # fmt: skip


@callback
def blind(parameters, state, seen, result, first, count, h):
    """Return NaN as soon as the third wheel rotates."""
    for i in range(first, first + count):
        k, r = records_at(seen, brush.I, first + count)[i], records_at(result, brush.O, first + count)[i]
        r["F"][0], r["F"][1], r["rate"][0] = 0.0, -1e3 * k["v_y"], 0.0
        if i == 2 and k["spin"] > 1.0:
            r["rate"][0] = math.nan


@callback
def warm(parameters, state, seen, result, first, count, h):
    """Brush model with a third state, its temperature, which changes from 20 towards 30 degrees."""
    n = first + count
    for i in range(first, n):
        u, k = records_at(state, brush.S, n)[i]["numbers"], records_at(seen, brush.I, n)[i]
        if k["task"] == FORCES:
            brush.patch(records_at(parameters, brush.P, n)[i], u, k, records_at(result, brush.O, n)[i], h)
            records_at(result, brush.O, n)[i]["rate"][2] = (30.0 - u[2]) / (10.0 + h)
        elif k["task"] == HELD:
            u[0], u[1] = k["held"][0], k["held"][1]
        else:
            u[2] = 20.0


@callback
def leaning(parameters, state, seen, result, first, count, h):
    """Return own moments, the complete overturning moment, mirrored on the right side."""
    n = first + count
    for i in range(first, n):
        k, r = records_at(seen, brush.I, n)[i], records_at(result, brush.O, n)[i]
        r["M_x"], r["M_y"], r["whole"] = 70.0 * k["side"], -30.0, 1


register(replace(brush.KIND, name="leaning", kernel=leaning))
register(replace(brush.KIND, name="blind", kernel=blind))
register(replace(brush.KIND, name="warm", kernel=warm, state=(*brush.KIND.state, ("T", (), "degC", "temperature"))))


def on_tires(folder: Path, tires: Any, **changes: Any) -> Vehicle:
    """Return the shipped vehicle on other tires; `brush`, `blind` and `warm` are files of this test."""
    (folder / "brush.yaml").write_text(yaml.safe_dump({**TIRE, **changes}), encoding="utf-8")
    for other in ("blind", "warm"):
        (folder / f"{other}.yaml").write_text(yaml.safe_dump({**TIRE, "type": other}), encoding="utf-8")
    shipped = yaml.safe_load((data_folder("configs") / "vehicles/hmmwv.yaml").read_text(encoding="utf-8"))
    (folder / "car.yaml").write_text(yaml.safe_dump({**shipped, "tires": tires}), encoding="utf-8")
    return build_vehicle(str(folder / "car.yaml"))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("brush")


@pytest.fixture
def car(folder: Path) -> Vehicle:
    return on_tires(folder, "brush")


# One wheel ----------------------------------------------------------------------------------------------------------------------


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


def rolled(
    v: tuple[float, float], spin: float, on: Any = None, steps: int = 3000, turn: float = 0.0, law: str = "brush", side: int = 1
) -> Records:
    """Return a wheel with the brush model in steady rolling under about 6 kN; its carrier rotates with `turn` [rad/s] about the vertical."""
    tires = TireSet([tire({**TIRE, "type": law}, "brush.yaml")], [side])
    m = Parameters(tires.shared, tires.treads, tires.heat)
    rig = tire_rig.rig(ground=on)
    s = Records(
        tire_states(1),
        record(TREAD_STATE),
        record_for(TIRE_HEAT_STATE, AxleLayout(1, 1), 0),
        record(TIRE_INPUT),
        record(TIRE_OUTPUT),
        record(CARRIED),
        record(WHEEL),
        record(TIRE_OUT),
        rig.under,
        rig.s.windows,
    )
    s.wheels[0] = rig.wheel[0]
    s.wheels[0]["p_WK"] = 0.0, 0.0, 0.4699 - 0.015
    s.wheels[0]["v_WK_W"], s.wheels[0]["spin"], s.wheels[0]["w_WK_W"] = (*v, 0.0), spin, (0.0, 0.0, turn)
    for _ in range(steps):
        one_step(m, s, rig.ground)
    return s


def steady(v: tuple[float, float], spin: float, on: Any = None) -> tuple[Any, float]:
    """Return the record of TIRE_OUT and the effective radius of a wheel in steady rolling."""
    s = rolled(v, spin, on)
    return s.contacts[0], float(s.seen[0]["effective_radius"])


@tire_rig.kernel
def one_step(m, s, on):
    step_tires(m, s, on, 1e-3)


@pytest.mark.parametrize(("v_x", "v_y", "rim"), [
    (20.0, 0.0, 20.2), (20.0, 0.3, 20.0), (20.0, -1.0, 20.5), (5.0, 0.4, 4.8), (-8.0, 0.2, -8.3), (10.0, 4.0, 10.0), (20.0, 0.0, 5.0),
])  # fmt: skip
def test_steady_slip_is_the_closed_form(v_x: float, v_y: float, rim: float) -> None:
    R_e = (3.0 * 0.4699 - 0.015) / 3.0
    o, seen = steady((v_x, v_y), rim / R_e)
    assert seen == pytest.approx(R_e, rel=1e-12)
    slip = np.array([rim - v_x, -v_y]) / abs(rim)
    load, a = o["F_C"][2], math.sqrt(0.4699 * 0.015)
    most = 0.8 * load
    theta = 2.0 * 1e7 * a * a / (3.0 * most)
    rest = max(1.0 - theta * np.linalg.norm(slip), 0.0)
    force = most * (1.0 - rest**3)
    assert o["F_C"][:2] == pytest.approx(force * slip / np.linalg.norm(slip), rel=1e-6, abs=1e-3)
    moment = -most * a * theta * slip[1] * rest**3 * math.copysign(1.0, rim)
    assert o["M_C"][2] == pytest.approx(moment, rel=1e-3, abs=1e-3)
    assert o["slip"] == pytest.approx(slip, rel=1e-5, abs=1e-9)


def test_the_law_sees_how_fast_the_carrier_turns() -> None:
    s = rolled((0.0, 0.0), 0.0, tire_rig.plane(slope=(0.75, 0.0)), 2, turn=0.3)
    assert s.seen[0]["turn_rate"] == s.contacts[0]["turn_rate"] == pytest.approx(0.3 * 0.8)


def test_moments_of_its_own_come_to_the_wheel() -> None:
    for side in (1, -1):
        o = rolled((20.0, 0.0), 43.0, steps=1, law="leaning", side=side).contacts[0]
        assert o["M_C"][0] == 70.0 * side
        rolling = 0.015 * o["F_C"][2] * 0.4699 * 43.0 / math.hypot(43.0, 1.0)
        assert o["M_C"][1] == pytest.approx(-30.0 - rolling, rel=1e-9), "and that of all tires"
        assert o["M_W"][1] == pytest.approx(o["M_C"][1], rel=1e-9) and o["M_W"][0] == pytest.approx(o["M_C"][0], rel=1e-9)


def test_on_soil_the_shared_ground_shears() -> None:
    """Without hard ground the model has no force: thrust and side force are bounded by the strength of the soil, and slip creates thrust."""
    loam = tire_rig.plane(tire_rig.soil(), hardness=0.0)
    forces = [steady((5.0, 0.0), rim / 0.4647, loam)[0]["F_C"].copy() for rim in (5.0, 5.5, 7.0)]
    assert forces[0][0] < forces[1][0] < forces[2][0]
    assert all(abs(F[0]) < F[2] for F in forces)


# A car --------------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("on", "yaw"), [("slope", 0.0), ("slope", math.pi / 2), ("dry_sand 20", 0.7)])
def test_a_car_rests_on_a_slope(car: Vehicle, on: str, yaw: float) -> None:
    car.reset(ground(on), yaw=yaw)
    assert max(np.abs(car.space.out[0][name]).max() for name in ("a_WB_B", "alpha_WB_B", "theta_ddot")) < 1e-9
    states = track(car, on, command(brake=1.0), 20.0)
    assert np.linalg.norm(states["p_WB"] - states["p_WB"][0], axis=1).max() < 1e-3
    assert np.linalg.norm(states["v_WB_B"][-100:], axis=1).max() < 1e-5


@pytest.mark.parametrize("on", ["flat", "dry_sand 2"])
def test_a_car_drives_turns_and_brakes(car: Vehicle, on: str) -> None:
    car.reset(ground(on), gear=1)
    drive(car, on, command(selector=1, throttle=0.7), 4.0)
    assert car.speed > 1.5
    drive(car, on, command(selector=1, throttle=0.3, steering=0.3), 2.0)
    assert car.read()[0]["yaw"] > 0.1
    drive(car, on, command(brake=1.0), 8.0)
    assert abs(car.speed) < 1e-3


def test_other_wheels_may_have_the_shipped_law(folder: Path) -> None:
    mixed = on_tires(folder, {"FL": "tmeasy_hmmwv", "FR": "brush", "RL": "brush", "RR": "tmeasy_hmmwv"})
    assert mixed.model.treads.laws["count"].tolist() == [0, 2, 0, 0]
    mixed.reset(ground("slope"))
    states = track(mixed, "slope", command(brake=1.0), 5.0)
    assert np.linalg.norm(states["p_WB"] - states["p_WB"][0], axis=1).max() < 1e-3


def test_trim_and_modes(folder: Path) -> None:
    for tires, count, modes in (
        ("brush", 36, 29),
        ({"front": "brush", "rear": "tmeasy_hmmwv"}, 44, 33),
        ({"front": "warm", "rear": "brush"}, 40, 31),
    ):
        held = VehicleOde(on_tires(folder, tires), ground("flat"), 15.0)
        assert len(held.y) == count
        linear = linearize(held)
        assert len(linear.eigenvalues) == modes
        assert (linear.eigenvalues.real < 0.0).all()
        assert {"wheel hop", "wheel spin", "tread", "roll"} <= set(linear.kinds)


def test_a_law_may_have_as_many_numbers_as_it_likes_and_any_state_at_rest(folder: Path) -> None:
    """The third state is 30 - 10 exp(-t / 10 s), from its 20 degrees at rest to its value in trim."""
    car = on_tires(folder, {"front": "warm", "rear": "brush"})
    car.reset(ground("slope"))
    drive(car, "slope", command(brake=1.0), 5.0)
    assert car.space.treads["numbers"][:, 2] == pytest.approx([30.0 - 10.0 * math.exp(-0.5)] * 2 + [0.0] * 2, rel=1e-3)
    assert VehicleOde(car, ground("flat"), 15.0).y[36:] == pytest.approx([30.0, 30.0, 0.0, 0.0], abs=1e-9)


def test_too_stiff_a_tread_is_named(folder: Path) -> None:
    with pytest.raises(ConfigError, match=r"brush\.yaml:\d+: carcass_damping: invalid value; expected at most .*; got 1000000.0"):
        on_tires(folder, "brush", carcass_damping=1e6)


def test_its_state_is_logged_under_its_own_names(car: Vehicle, tmp_path: Path) -> None:
    car.reset(ground("slope"))
    log = TelemetryOutlet(tmp_path, car.readout, command(), more=car.logged)
    log.writer.publish(wait=True)
    log.close()
    columns = read_telemetry(tmp_path / "telemetry.parquet", ["brush_u_FL_0", "brush_u_RR_1"])
    assert columns["brush_u_FL_0"][0] == car.space.treads[0]["numbers"][0] != 0.0
    assert columns["brush_u_RR_1"][0] == car.space.treads[3]["numbers"][1]


def test_a_law_that_returns_nan_is_switched_off_and_the_drive_continues(folder: Path) -> None:
    lost = on_tires(folder, "blind")
    lost.reset(ground("flat"))
    lost.space.state[0]["v_WB_B"][0], lost.space.state[0]["wheel_spin"] = 5.0, 5.0 / 0.465
    drive(lost, "flat", command(), 0.5)
    for _ in range(2):
        r = lost.read()[0]
    assert lost.troubles == ["tire model blind at RL: returned a non-finite number; it is switched off there"]
    assert r["v_WB_B"][0] == pytest.approx(5.0, abs=0.5)
    assert np.isfinite(r["F_C"]).all()
    assert r["F_C"][2, :2].tolist() == [0.0, 0.0] and r["F_C"][2, 2] > 1000.0


def test_a_run_with_such_a_law_reports_it_once_and_continues_to_its_end(folder: Path, tmp_path: Path) -> None:
    on_tires(folder, "blind")
    said: list[str] = []
    session = configuration(None, changes({"maneuver": "scripted_drive", "terrain": "flat", "vehicle": str(folder / "car.yaml")}))
    outcome = run_maneuver(session, tmp_path / "run", say=said.append)
    assert [line for line in said if "blind" in line] == ["tire model blind at RL: returned a non-finite number; it is switched off there"]
    assert "ended_early" not in outcome["result"]


# Registration -------------------------------------------------------------------------------------------------------------------


def test_an_unknown_type_names_the_known_ones() -> None:
    with pytest.raises(
        ConfigError,
        match=r"t\.yaml: type: .*expected a tire model: tmeasy, magic_formula, fiala, measured, .*did you mean brush",
    ):
        tire({**TIRE, "type": "brushh"}, "t.yaml")


@pytest.mark.parametrize(("changes", "words"), [
    ({"contract": 7}, "version 7 of the contract"), ({"layout": 1}, "other tables"), ({"kernel": None}, "no kernel"),
    ({"state": (("u", (9,), "m", "too many"),)}, "9 numbers"), ({"parameters": (Field("radius", Number("m", 0.1, 1.0), "mine"),)}, "radius already"),
    ({"stiff": ()}, "duplicate tire model brush"),
])  # fmt: skip
def test_a_law_that_does_not_fit_is_refused(changes: dict[str, Any], words: str) -> None:
    with pytest.raises(JounceError, match=words):
        register(replace(brush.KIND, **changes))


MAIN = """
import sys, warnings
from simulator.base import compile_events as compiling
from simulator.base.registry import load_plugins
compiled = []
load_plugins(sys.argv[2:])
with compiling.on_compile(lambda name, begins: compiled.append(name) if begins else None):
    from simulator.builder.builder import build_vehicle
    from tests.laws.vehicle_rig import ground, command
    car = build_vehicle(sys.argv[1])
    car.reset(ground("flat"))
    car.step(ground("flat"), command(), 1e-3)
    car.read()
print(compiled)
"""


def compiled(folder: Path, *arguments: str) -> str:
    """Return the kernels that a process compiles which builds a vehicle and runs a step."""
    line = [sys.executable, "-c", MAIN, *arguments]
    done = subprocess.run(line, cwd=folder, env=environment(), capture_output=True, text=True, check=False, timeout=900)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


@pytest.fixture
def plugin(folder: Path) -> Iterator[Path]:
    """Return the tire model as a plugin file; another copy is registered in this process."""
    path = folder / "brushes.py"
    path.write_text((ROOT / "tests/plugins/brush.py").read_text(encoding="utf-8"), encoding="utf-8")
    yield path
    path.unlink()


def test_the_shipped_step_is_cached_and_an_edit_compiles_the_law_alone(folder: Path, plugin: Path) -> None:
    on_tires(folder, "brush")
    with open(plugin, "a", encoding="utf-8") as text:
        text.write(f"\n# {folder} {uuid.uuid4().hex}\n")  # kernels compiled by an earlier test run belong to another plugin
    compiled(folder, "hmmwv")  # on an empty cache this compiles the step
    assert compiled(folder, "car.yaml", str(plugin)) == "['brush']"
    assert compiled(folder, "car.yaml", str(plugin)) == "[]"
    plugin.write_text(plugin.read_text(encoding="utf-8").replace("3.0 * most)", "2.9 * most)"), encoding="utf-8")
    assert compiled(folder, "car.yaml", str(plugin)) == "['brush']"
    assert compiled(folder, "hmmwv") == "[]"


def test_the_rim_reacts_with_the_carcass_of_the_model() -> None:
    one = tire(TIRE, "brush.yaml")
    assert rim_reaction(one.law, one.shared, one.own) == pytest.approx((TIRE["carcass_stiffness"], TIRE["carcass_damping"]), rel=0.01)
