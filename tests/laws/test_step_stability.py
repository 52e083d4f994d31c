"""Does the step stability check accept shipped vehicles, reject vehicles that would run into NaN with the critical key, and do accepted
vehicles drive?"""

import math
import re

import numpy as np
import pytest

from simulator.base.errors import ConfigError
from simulator.base.records import record
from simulator.builder.builder import build_ground, build_vehicle, data_folder, read_yaml, vehicle_description
from tests.shipped_files import driven_vehicles
from vehicles.command import COMMAND
from vehicles.description import read_description
from vehicles.drivetrain.drivetrain import drivetrain_reset
from vehicles.state_memory import in_one_block
from vehicles.step_jacobian import CHASSIS, step_matrix
from vehicles.step_stability import HIGH, NEAR, _Probe, _relevant_coordinates, _scan_quickly, _situations, check_step
from vehicles.tires.contract import NUMBERS
from vehicles.tires.tire_file import tire, tire_set
from vehicles.vehicle import Vehicle, new_space

CONFIGS = data_folder("configs")
TIRES, PARTS = read_yaml(CONFIGS / "tires/tmeasy_hmmwv.yaml"), read_yaml(CONFIGS / "drivetrains/drivetrain_hmmwv.yaml")
DAMPING = ("compression_damping", "rebound_damping", "compression_damping_end", "rebound_damping_end")


def arrays(name):
    ground = build_ground(name)
    return ground.arrays


FLAT, BUMP = arrays("flat"), arrays("bump")


def vehicle(change=lambda m: None, tires=None, name="hmmwv"):
    mapping = read_yaml(CONFIGS / "vehicles" / f"{name}.yaml")
    change(mapping)
    four = tire_set([tire({**TIRES, **(tires or {})}, "t.yaml")] * 4)
    return Vehicle(read_description(mapping, "v.yaml"), four, PARTS, "p.yaml")


def damped(factor, axles=("front", "rear"), names=DAMPING):
    def change(mapping):
        for axle in axles:
            for name in names:
                mapping["axles"][axle]["shock"][name] *= factor

    return change


def complaint(v, h=1e-3):
    try:
        check_step(v, FLAT, h, ("v.yaml", "t.yaml"))
    except ConfigError as error:
        return error
    return None


def stays_finite(v):
    """Drop the vehicle from half a meter and drive it over the bump."""
    command = record(COMMAND)
    command[0]["throttle"], command[0]["selector"] = 1.0, 1
    v.reset(BUMP, gear=1)
    v.space.state[0]["p_WB"][2] += 0.5
    for _ in range(6000):
        v.step(BUMP, command, 1e-3)
    return bool(np.isfinite(v.space.state[0]["v_WB_B"]).all() and np.isfinite(v.space.state[0]["theta_dot"]).all())


WITHOUT_TABLES = {
    "light_truck": "an axle of independent sides",
    "tractor": "an axle of independent sides",
    "hmmwv_four_wheel_steering": "tables support no steered last axle",
}
"""Words of the error message for vehicles that do not support tables."""


SAME_AXLES = ("hmmwv_65", "hmmwv_abs", "hmmwv_curb", "hmmwv_esc", "hmmwv_gross", "hmmwv_manual", "sedan_active_steering", "sedan_electric",
    "sedan_esc", "sedan_loaded", "sedan_skyhook")  # fmt: skip
"""Variants with the axles of their base."""
VEHICLES = [
    pytest.param(name, marks=[pytest.mark.full("a load, a drivetrain or a controller that makes the step unstable")] * (name in SAME_AXLES))
    for name in driven_vehicles()
]


TABLES_ALONE = {"hmmwv_trailing_rear", "sedan_chrono"}


@pytest.mark.parametrize("name", ["hmmwv", "sedan_compliant", *sorted(WITHOUT_TABLES), *sorted(TABLES_ALONE)])
def test_a_description_names_its_kinematics(name):
    possible = [kind for kind, refused in (("closed_form", TABLES_ALONE), ("table", WITHOUT_TABLES)) if name not in refused]
    assert list(vehicle_description(name).kinematics) == possible


@pytest.mark.parametrize("name", VEHICLES)
@pytest.mark.parametrize("suspension", ["closed_form", "table"])
def test_shipped_vehicles_are_stable(name, suspension):
    if name in TABLES_ALONE and suspension == "closed_form":
        suspension = None  # these vehicles exist only with tables
    if (refused := WITHOUT_TABLES.get(name)) is not None and suspension == "table":
        with pytest.raises(ConfigError, match=refused):
            build_vehicle(name, suspension=suspension)
        return
    build_vehicle(name, suspension=suspension)


@pytest.mark.parametrize("factor", [3.0, 10.0, 100.0, 1e4])
def test_any_damping_is_rejected_or_drives(factor):
    v = vehicle(damped(factor))
    error = complaint(v)
    if error is None:
        assert stays_finite(v)
    else:
        assert factor > 3.0, "three times the damping is not too much"
        assert error.file == "v.yaml" and ".shock." in error.key and "wheel hop of the " in error.expected


def test_one_damper_that_is_too_stiff_is_named_with_its_limit():
    """Only where the step is explicit in the dampers; otherwise the damper is accepted, and the vehicle drives."""
    v = vehicle(damped(100.0, ("rear",), ("rebound_damping",)))
    error = complaint(v)
    if error is None:
        assert stays_finite(v)
        return
    assert error.key == "axles.rear.shock.rebound_damping"
    most = float(error.expected.split()[2].rstrip(":;"))
    assert most < error.value

    def with_damping(value):
        def change(mapping):
            mapping["axles"]["rear"]["shock"]["rebound_damping"] = value

        return vehicle(change)

    assert complaint(with_damping(0.97 * most)) is None, "what is proposed is stable"
    assert complaint(with_damping(1.2 * most)) is not None, "and not far from what is not"


@pytest.mark.parametrize(("key", "factor"), [("damping", 150.0), ("bottoming_stiffness", 450.0)], ids=["damping", "bottoming"])
def test_a_tire_that_is_too_stiff_is_refused_by_its_file(key, factor):
    error = complaint(vehicle(tires={key: TIRES[key] * factor}))
    assert error is not None
    assert error.file == "t.yaml"
    assert error.key in ("damping", "bottoming_stiffness", "stiffness")
    assert "in every step of 1 ms" in error.expected


def test_a_spring_that_is_too_stiff_is_named():
    """A stiffening spring: the linear spring of the other vehicle would have to exceed the valid range of a file."""

    def change(mapping):
        spring = mapping["axles"]["rear"]["spring"]
        spring["pull"] = [500.0 * pull for pull in spring["pull"]]

    error = complaint(vehicle(change, name="hmmwv_chrono"))
    assert error is not None
    assert (error.file, error.key) == ("v.yaml", "axles.rear.spring.pull")


def test_a_step_too_long_is_reported_for_the_file_that_requests_it(tmp_path):
    """With stiff dampers; with dampers half as stiff 10 ms are accepted."""
    with pytest.raises(ConfigError, match=r"m\.yaml: step: invalid value; expected a shorter step for this vehicle.*; got '10 ms'"):
        build_vehicle("hmmwv_chrono", said_by=tmp_path / "m.yaml", step=0.01)


@pytest.mark.parametrize("change", [damped(1.0), damped(30.0), damped(100.0)], ids=["as it is", "stiffly damped", "too stiffly"])
def test_the_quick_scan_finds_the_modes_of_the_full_check(change):
    """With one-sided differences the growth of every mode equals that with central ones, with a much smaller error than the tolerance."""
    v = vehicle(change)
    probe = _Probe.of(v)
    starts = list(_situations(probe, FLAT))
    glances = _scan_quickly(probe, starts, FLAT, 1e-3)
    assert {len(J) for J in glances} == {11, 37}, "in the air and on the ground"
    for start, J in zip(starts, glances, strict=True):
        kept = _relevant_coordinates(probe, v.model, len(J) == 11)
        probe.memory[:] = start
        closer = step_matrix(v.model, probe.vehicle.piece, FLAT, 1e-3, kept)
        there, here = (np.sort(np.abs(np.linalg.eigvals(matrix))) for matrix in (J, closer))
        assert np.abs(there - here).max() < 0.01 * NEAR


def test_the_check_does_not_change_the_vehicle():
    v = vehicle()
    before = v.piece.memory.copy()
    check_step(v, FLAT, 1e-3, ("v.yaml", "t.yaml"))
    assert v.piece.memory.tobytes() == before.tobytes()


def test_the_matrix_of_a_falling_vehicle():
    """Free fall: velocities are constant, heights advance by h v; the reference is a hand calculation."""
    v = vehicle(damped(0.0))
    piece = in_one_block(new_space(v.description))
    space, state = piece.space, piece.space.state[0]
    state["p_WB"][2] = HIGH
    drivetrain_reset(v.model.drivetrain, space.drivetrain, state["wheel_spin"], 0)
    J = step_matrix(v.model, piece, FLAT, 1e-3, np.arange(CHASSIS + (3 + NUMBERS) * v.size.wheels))
    assert J[0, 0] == pytest.approx(1.0, abs=1e-6) and J[0, 1] == pytest.approx(1e-3, abs=1e-6)
    assert J[1, 1] == pytest.approx(1.0, abs=1e-6)
    assert math.isfinite(float(np.abs(np.linalg.eigvals(J)).max()))


def on_soft_bushings(folder, loss_time=0.002, stiffer=1.0):
    """Return a light truck whose wheels wind up a lot, its step not checked."""
    bushing, rod = f"{{axial: {8e5 * stiffer}, radial: {3e6 * stiffer}}}", f"{{axial: {2e6 * stiffer}}}"
    bushings = "".join(
        f"        {name}: {bushing if name != 'TIEROD_C' else rod}\n" for name in ("LCA_F", "LCA_B", "UCA_F", "UCA_B", "TIEROD_C")
    )
    file = folder / f"soft_{loss_time}_{stiffer}.yaml"
    compliance = f"    compliance:\n      loss_time: {loss_time}\n      bushings:\n{bushings}"
    file.write_text(f"base: light_truck\nname: Soft truck\naxles:\n  front:\n{compliance}")
    return build_vehicle(str(file), check_step=False)


def moves_at_rest(v):
    """Return the largest rate of the bushings [rad/s, m/s] a second after the brakes have locked the wheels of a vehicle at rest."""
    command, largest = record(COMMAND), 0.0
    command[0]["brake"] = 1.0
    v.reset(FLAT)
    for n in range(1500):
        v.step(FLAT, command, 1e-3)
        largest = max(largest, float(np.abs(v.space.elastic[0]["e_dot"]).max())) if n > 1000 else 0.0
    return largest


def test_a_locked_wheel_on_soft_bushings_is_refused_with_limits_that_hold(tmp_path):
    soft = on_soft_bushings(tmp_path)
    error = complaint(soft)
    assert error.key == "axles.front.compliance" and moves_at_rest(soft) > 1.0
    stiffer, longer = (1.01 * float(found) for found in re.findall(r"at least ([0-9.e+]+) times", error.expected))
    for mended in (on_soft_bushings(tmp_path, stiffer=stiffer), on_soft_bushings(tmp_path, loss_time=0.002 * longer)):
        assert complaint(mended) is None and moves_at_rest(mended) < 1e-4


def test_bushings_that_are_too_soft_are_named_and_not_the_tires(tmp_path):
    """A tie rod in a soft bushing: the message proposes a stiffness that is stable."""
    file = tmp_path / "soft.yaml"

    def build(factor):
        rate = 3e4 * factor
        text = f"base: sedan\nname: soft\naxles: {{front: {{compliance: {{bushings: {{TIEROD_C: {{axial: {rate}}}}}}}}}}}\n"
        file.write_text(text, encoding="utf-8")
        return build_vehicle(str(file))

    with pytest.raises(ConfigError, match=r"axles\.front\.compliance: .*bushings at least .* times as stiff") as caught:
        build(1.0)
    assert caught.value.file == str(file)
    build(60.0)


def test_a_brake_that_is_too_stiff_for_the_bushings_is_named(tmp_path):
    drivetrain = tmp_path / "stiff_brakes.yaml"
    drivetrain.write_text("base: drivetrain_sedan\nbrakes: {stiffness: 1.0e+9, max_torque: [1.0e+5, 1.0e+5]}\n", encoding="utf-8")
    file = tmp_path / "car.yaml"
    file.write_text("base: sedan\nname: stiff brakes\ndrivetrain: stiff_brakes.yaml\n", encoding="utf-8")
    with pytest.raises(ConfigError, match="stiffness and damping of the brakes at least"):
        build_vehicle(str(file))
