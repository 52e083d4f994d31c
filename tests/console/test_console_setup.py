"""Does the page know the world and the actions of a drive as they are?"""

from __future__ import annotations

import base64
import json
import math

import numpy as np
import pytest

from simulator.base.errors import ConfigError
from simulator.base.json_output import json_text
from simulator.builder.builder import build
from simulator.configuration.from_arguments import configuration
from simulator.configuration.overrides import changes
from simulator.event_effects.cueing_controls import CueingControls
from simulator.host.console_setup import actions_of, moved_objects, scene_of
from simulator.host.console_status import status_of
from simulator.host.console_vehicle import VERTEX, drawn_vehicle
from simulator.host.drive_messages import DriveMessages
from simulator.host.drive_streams import DriveStreams
from simulator.host.drive_view import DriveView
from simulator.host.next_run import check_next_run, overrides_of


class Still:
    """Driver that does nothing."""

    def read(self, t, readout, command):
        """Nothing."""


@pytest.fixture(scope="module")
def drive():
    crate = {"name": "crate", "label": "rock", "shape": "box", "size": [2.0, 1.0, 1.0], "position": [30.0, 5.0], "yaw_deg": 90.0}
    sensor = {"type": "imu", "name": "imu"}
    asked = {"maneuver": "avtp_lane_change", "objects": [crate], "sensors": [sensor]}
    parts = build(configuration(None, changes(asked)))
    session = parts.session(Still())
    session.reset()
    return parts, session


def plain(value):
    return json.loads(json_text(value))


def test_objects_cones_and_path_are_where_they_are_in_the_world(drive):
    scene = plain(scene_of(*drive))
    (crate,) = scene["objects"]
    points = np.array(crate["points"])
    assert (crate["name"], crate["label"]) == ("crate", "rock") and crate["pose"] == pytest.approx([30.0, 5.0, math.pi / 2], abs=1e-3)
    assert np.allclose(points.min(axis=0), (29.5, 4.0)) and np.allclose(points.max(axis=0), (30.5, 6.0)), "turned by 90 degrees"
    cones, path = np.array(scene["cones"]), np.array(scene["path"])
    assert len(cones) == 6 * len(drive[0].maneuver.gates)
    for gate in cones.reshape(-1, 2, 3, 2):
        for left, right in zip(*gate, strict=True):
            y = np.interp(0.5 * (left[0] + right[0]), *path.T)
            assert min(left[1], right[1]) < y < max(left[1], right[1]), "the path leads between the cones"
    assert scene["start"] == [0.0, 0.0, 0.0] and scene["bounds"] is None, "flat ground has no end"
    assert len(scene["vehicle"]["wheels"]) == 4 and 4.0 < scene["vehicle"]["length"] < 6.0
    assert len(scene["platform"]["base"]) == scene["platform"]["legs"] == 6


def test_moving_and_broken_objects_are_where_they_are_now():
    parts = build(configuration(None, changes({"maneuver": "crossing_traffic"})))
    session = parts.session(Still())
    session.reset()
    before = {row: pose for row, *pose in moved_objects(session)}
    session.run(1.0)
    after = {row: pose for row, *pose in moved_objects(session)}
    assert before.keys() == after.keys() and len(after) > 0
    for row, (x, y, _) in after.items():
        assert (x, y) == pytest.approx(tuple(session.objects.position(row + session.objects.first, session.time)[:2]), abs=0.01)
    assert any(before[row] != after[row] for row in after)


def test_a_fallen_object_has_its_outline_from_above():
    cone = {"shape": "cylinder", "radius": 0.2, "height": 1.0, "position": [30.0, 5.0], "label": "cone", "breakaway": {"mass": 3}}
    walker = {"shape": "box", "size": [0.4, 0.6, 1.8], "label": "person", "path": {"points": [[40, 0], [40, 9]], "speed": 1.0}}
    parts = build(configuration(None, changes({"objects": [cone, walker]})))
    session = parts.session(Still())
    session.reset()
    assert [one[0] for one in moved_objects(session)] == [1] and len(moved_objects(session)[0]) == 4
    for s, place in zip(session.objects.states, ((31.0, 6.0, 0.2), (40.0, 3.0, 0.2)), strict=True):
        s["broken"], s["p_WO"], s["R_WO"] = 1, place, ((0, 0, 1), (0, 1, 0), (-1, 0, 0))  # they lie along x
    (_, x, y, _, points, radius), (_, *_, body, flat) = plain(moved_objects(session))
    assert (x, y) == (31.0, 6.0) and radius == flat == 0.0
    assert np.min(points, axis=0) == pytest.approx((31.0, 5.8), abs=0.01) and np.max(points, axis=0) == pytest.approx((32.0, 6.2), abs=0.01)
    assert np.min(body, axis=0) == pytest.approx((39.1, 2.7)) and np.max(body, axis=0) == pytest.approx((40.9, 3.3))


def entry_of(kind):
    """What the form of the page sends for a kind of fault, with 1 in the fields without a default."""
    entry = {"type": kind["name"]}
    for field in kind["fields"]:
        if field["choices"]:
            entry[field["key"]] = field["choices"][0]
        elif field["count"] or field["required"]:
            default = field["default"]
            numbers = [1.0] * field["count"] if default is None else np.atleast_1d(default).tolist()
            entry[field["key"]] = numbers if field["count"] > 1 else numbers[0]
    return entry


def test_the_form_of_every_fault_gives_a_fault_that_the_drive_can_have(drive):
    parts, session = drive
    kinds = plain(actions_of(parts, session))["faults"]
    names = [kind["name"] for kind in kinds]
    assert {"puncture", "ice_patch", "gust", "sensor_loss", "packet_delay"} <= set(names)
    refused = []
    for kind in kinds:
        try:
            (fault,) = session.injector.make([entry_of(kind)], ())
            assert fault.ramp == kind["ramp"]
        except ConfigError as error:
            refused.append((kind["name"], str(error)))
    assert [name for name, _ in refused] == [], refused
    wheel = next(field for field in kinds[names.index("puncture")]["fields"] if field["key"] == "wheel")
    assert wheel["choices"] == list(parts.vehicle.corner_names)


def test_a_fault_without_anything_to_act_on_is_not_offered():
    parts = build(configuration(None, changes({"terrain": "flat"})))
    names = [kind["name"] for kind in actions_of(parts, parts.session(Still()))["faults"]]
    assert "sensor_loss" not in names and "puncture" in names


def test_parameters_have_the_limits_that_the_drive_checks(drive):
    parts, session = drive
    tuner = session.cueing.tuner
    offered = plain(actions_of(parts, session))["washout"]
    assert [(one["name"], one["index"]) for one in offered] == [(one.key, one.index) for one in tuner.parameters]
    angle = next(one for one in offered if one["unit"] in ("deg", "deg/s"))
    assert angle["name"].endswith(("_deg", "_degps"))
    for one, parameter in zip(offered, tuner.parameters, strict=True):
        assert one["given"] * parameter.factor == pytest.approx(parameter.given), "in the unit of the key"
        assert one["least"] <= one["free"][0] <= one["given"] <= one["free"][1] <= one["most"]


def test_the_status_names_all_parts(drive):
    _, session = drive
    view = DriveView()
    streams = DriveStreams(DriveMessages(print, print, view, None), None)
    ice = {"type": "ice_patch", "center": [5, 6], "size": [3, 2]}
    session.injector.add(session.injector.make([{"type": "gust", "velocity": [0, 5, 0]}, ice], session.injector.faults))
    status = plain(status_of(session, CueingControls(session.cueing.tuner), view, streams))
    assert [one["name"] for one in status["sensors"]] == ["imu"]
    assert [one["name"] for one in status["faults"]] == ["gust", "ice_patch"]
    assert [one["area"] for one in status["faults"]] == [None, [5.0, 6.0, 3.0, 2.0, 0.0]]
    assert len(status["washout"]) == len(session.cueing.tuner.parameters) and status["intensity"] == 1.0
    assert status["processes"] == status["streams"] == []


def test_the_next_run_takes_shipped_names_only():
    value = {"vehicle": "sedan", "terrain": "woods", "driver": "scripted", "weather": {"rain_mmph": 5, "time_of_day_h": 20}}
    assert check_next_run(value) == value
    assert [override.path for override in overrides_of(value)] == [("vehicle",), ("terrain",), ("driver",), ("weather",)]
    wrong = (
        "sedan",
        {"vehicle": "../sedan"},
        {"vehicle": "/etc/passwd"},
        {"speed": 1},
        {"weather": {"rain_mmph": -1}},
        {"driver": "keyboard"},
    )
    for one in wrong:
        with pytest.raises(ConfigError):
            check_next_run(one)
    assert check_next_run({}) == {}, "the same drive again"


def mesh_of(text):
    return np.frombuffer(base64.b64decode(text), VERTEX)


@pytest.mark.parametrize("name", ["hmmwv", "sedan", "light_truck"])
def test_the_page_draws_the_vehicle_that_drives(name):
    vehicle = build(configuration(None, changes({"vehicle": name, "terrain": "flat"}))).vehicle
    drawn = plain(drawn_vehicle(vehicle))
    solid, wheel = (mesh_of(drawn[part])["position"] * drawn["unit"] for part in ("solid", "wheel"))
    length, width, _ = vehicle.description.outline
    assert np.ptp(solid[:, 0]) == pytest.approx(length, rel=0.1) and np.ptp(solid[:, 1]) == pytest.approx(width, rel=0.25)
    for one, tire, corner in zip(drawn["wheels"], vehicle.model.tires, vehicle.corner_names, strict=True):
        around, along = one["scale"]
        assert one["name"] == corner
        assert around * np.ptp(wheel[:, 2]) == pytest.approx(2.0 * tire["radius"], rel=0.02)
        assert along * np.ptp(wheel[:, 1]) == pytest.approx(tire["width"], rel=0.15)
    normals = mesh_of(drawn["solid"])["normal"].astype(float)
    assert np.abs(np.linalg.norm(normals, axis=1) - 127.0).max() < 2.0


def test_different_vehicles_look_different():
    bodies = {
        name: drawn_vehicle(build(configuration(None, changes({"vehicle": name, "terrain": "flat"}))).vehicle)["solid"]
        for name in ("hmmwv", "sedan", "light_truck")
    }
    assert len(set(bodies.values())) == 3
