"""URDF of a vehicle: its joints and the joint states put the wheels where the readout has them."""

from __future__ import annotations

import re
from types import SimpleNamespace

import numpy as np
import pytest

from simulator.base.errors import JounceError
from simulator.builder.builder import build, vehicle_description
from simulator.cli.main import main
from simulator.configuration.configuration import configuration
from simulator.configuration.overrides import changes
from simulator.ros2.robot_description import WheelJoints, _places, robot_description, wheel_joints
from simulator.ros2.vehicle_messages import joints
from simulator.sensors.messages.topic import Frame
from tests.plugins import live_axle, trailing_arm  # noqa: F401 - kinds that the cars have
from tests.plugins.wheels import car
from vehicles.axle_layout import Axles
from vehicles.description import read_description
from vehicles.multibody.description.mechanism import Mechanism
from vehicles.multibody.description.urdf import mechanism_from_urdf


class Turning:
    def read(self, t, readout, command):
        command[0]["selector"], command[0]["throttle"], command[0]["steering"] = 1, 0.3, min(0.4 * t, 0.4)


def test_the_wheels_are_where_the_joints_put_them():
    parts = build(configuration(None, changes({"vehicle": "sedan", "terrain": "flat"})))
    session = parts.session(Turning())
    session.reset()
    session.run(3.0)
    r, wheels = session.readout[0], wheel_joints(parts.vehicle.description)
    state = joints(session.time, wheels, r)
    robot = mechanism_from_urdf(robot_description(parts.vehicle.description, parts.vehicle.tires), "sedan.urdf")
    assert [one.name for one in robot.joints if one.kind != "fixed" and "steering_joint" in one.name] == [
        "front_left_steering_joint", "front_right_steering_joint"
    ]  # fmt: skip
    assert {one.name for one in robot.joints if one.kind != "fixed"} == set(state["name"])
    whole = parts.vehicle.description.mechanism
    assert sum(one.mass for one in robot.bodies) == pytest.approx(float(whole.chassis[0]["mass"] + whole.corners[0]["corner_mass"].sum()))
    assert abs(r["road_wheel_angle"][0]) > 0.05 and r["wheel_angle"].min() > 3.0
    poses = placed(robot, dict(zip(state["name"], state["position"], strict=True)))
    assert poses["rear_axle"][0][:2] == pytest.approx(r["p_BK"][2:, :2].mean(axis=0), abs=0.01)
    for corner, place in enumerate(wheels.places):
        p, R = poses[f"{place}_wheel"]
        assert p[2] == pytest.approx(float(r["p_BK"][corner][2] - r["jounce"][corner]), abs=1e-4), "the suspension has no joint"
        assert np.abs(p[:2] - r["p_BK"][corner][:2]).max() < 0.03
        c, s = np.cos(r["wheel_angle"][corner]), np.sin(r["wheel_angle"][corner])
        true = r["R_BK"][corner] @ np.array([[c, 0.0, s], [0.0, 1.0, 0.0], [-s, 0.0, c]])
        angle = np.arccos(min(1.0, (np.trace(R.T @ true) - 1.0) / 2.0))
        assert angle < 0.08, "camber and caster have no joint"


def placed(robot: Mechanism, q: dict[str, float]) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """Return position and axes of each link of a tree in the root, as robot_state_publisher computes them."""
    out = {"world": (np.zeros(3), np.eye(3))}
    for one in robot.joints:  # parents come first
        p, R = out[one.parent]
        turned = np.eye(3)
        if one.kind != "fixed":
            x, y, z = one.axes[0]
            k, angle = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]]), q[one.name]
            turned = np.eye(3) + np.sin(angle) * k + (1.0 - np.cos(angle)) * k @ k
        out[one.child] = p + R @ one.p_PF, R @ one.R_PF @ turned
    return out


@pytest.mark.parametrize("name", ["hmmwv_four_wheel_steering", "hmmwv_trailing_rear", "light_truck"])
def test_every_vehicle_has_the_joints_that_it_publishes(name):
    description = vehicle_description(name)
    wheels = wheel_joints(description)
    assert len(wheels.names) == 4 + len(wheels.steered) + 1
    assert wheels.steered == ((0, 1, 2, 3) if "four_wheel" in name else (0, 1))


def test_an_axle_with_one_wheel_has_no_side():
    assert _places(Axles(("front", "rear"), (1, 2))) == ("front", "rear_left", "rear_right")
    assert WheelJoints(("front", "rear"), (0,)).names == [
        "front_wheel_joint",
        "rear_wheel_joint",
        "front_steering_joint",
        "steering_wheel_joint",
    ]


@pytest.mark.parametrize(("name", "places"), [("three wheels", ["rear"]), ("nine wheels", ["second_left", "middle", "rear_right"])])
def test_vehicles_with_other_axles_have_joints_with_mass(name, places):
    description = read_description(car(name), "car.yaml")
    wheels = wheel_joints(description)
    tires = SimpleNamespace(shared=np.full(len(wheels.places), 0.4, [("radius", "f8"), ("width", "f8")]))
    robot = mechanism_from_urdf(robot_description(description, tires), "car.urdf")
    masses = {body.name: body.mass for body in robot.bodies}
    assert set(places) <= set(wheels.places) and all(masses[one.child] > 0.0 for one in robot.joints if one.kind != "fixed")
    assert {one.name for one in robot.joints if one.kind != "fixed"} == set(wheels.names)


def test_frames_of_sensors_keep_their_axes(tmp_path, capsys):
    session = tmp_path / "session.yaml"
    session.write_text(
        "vehicle: sedan\nterrain: flat\nsensors:\n- {type: imu, rate: 100, mount: {position: [0, 0, 1.5], pitch_deg: 90, yaw_deg: 30}}\n"
    )
    out = tmp_path / "sedan.urdf"
    command = ["vehicle", "urdf", "--session", str(session), "--out", str(out)]
    assert main(command) == 0
    robot = mechanism_from_urdf(out.read_text(), out)
    p, R = placed(robot, dict.fromkeys((one.name for one in robot.joints), 0.0))["imu"]
    c, s = np.cos(np.radians(30.0)), np.sin(np.radians(30.0))
    assert p == pytest.approx([0.0, 0.0, 1.5]) and pytest.approx(np.array([[0, -s, c], [0, c, s], [-1, 0, 0]]), abs=1e-8) == R
    assert main(["check", str(out)]) == 0
    capsys.readouterr()
    assert main(command) == 2 and re.fullmatch(r"jounce: .*file exists; hint: use --overwrite.*\n", capsys.readouterr().err)
    assert main([*command, "--overwrite"]) == 0 and [one.name for one in tmp_path.iterdir()].count("sedan.urdf") == 1
    assert main(["vehicle", "urdf"]) == 2 and main(["vehicle", "urdf", "no_such_vehicle"]) == 2


def test_a_sensor_with_the_name_of_a_link_is_refused():
    parts = build(configuration(None, changes({"vehicle": "sedan", "terrain": "flat"})), check_step=False)
    with pytest.raises(JounceError, match=r"sensor front_left_wheel: .*another name"):
        robot_description(parts.vehicle.description, parts.vehicle.tires, [Frame("front_left_wheel", "base_link", np.zeros(3), np.eye(3))])
