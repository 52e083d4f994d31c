"""Are the true boxes of the world those of its objects, in the axes of the frame, and is their occlusion the hidden part of what the eye sees?"""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

import jounce
from simulator.sensors.contract import Mount
from simulator.sensors.truth import CELLS, true_boxes, viewpoint
from terrain.load_terrain import load_terrain
from terrain.objects.labels import LABELS
from terrain.objects.object_set import ObjectSet
from terrain.objects.paths import Path as Way
from terrain.objects.world_object import Box, ConvexHull, Material, Sphere, WorldObject
from terrain.rays.caster import RayCaster

GROUND = load_terrain({"type": "flat", "surface": "asphalt"}, "t.yaml", Path(), {"asphalt": {"type": "surface", "friction": 0.8}})
LEVEL = np.array((1.0, 0.0, 0.0, 0.0))
EYE = viewpoint(np.array((0.0, 0.0, 2.0)), LEVEL)


def boxes(*objects: WorldObject, view=EYE, time: float = 0.0, **more):
    return true_boxes(RayCaster(GROUND, ObjectSet(objects)), time, view, **more)


def car(x: float = 20.0, z: float = 2.0, **more) -> WorldObject:
    return WorldObject("car", Box((4.0, 2.0, 2.0)), (x, 0.0, z), label="vehicle", **more)


def wall(y: float, width: float, **more) -> WorldObject:
    """A wall 10 m ahead, whose middle is at y."""
    return WorldObject("wall", Box((0.2, width, 10.0)), (10.0, y, 5.0), label="building", **more)


@pytest.mark.parametrize(
    ("y", "width", "hidden"),
    [
        pytest.param(5.0, 10.0, 0.5, id="the left half"),
        pytest.param(-5.0, 10.0, 0.5, id="the right half"),
        pytest.param(0.0, 20.0, 1.0, id="all"),
        pytest.param(15.0, 10.0, 0.0, id="beside it"),
    ],
)
def test_a_wall_before_half_a_box_hides_half_of_it(y, width, hidden):
    found = boxes(wall(y, width), car())
    assert found["id"].tolist() == [1, 2]
    assert found["occlusion"] == pytest.approx([0.0, hidden], abs=1e-12)


def test_what_hides_counts_by_the_size_that_the_eye_sees():
    """The front of the car subtends three times the angle of its side: a wall before the side hides that part of what is seen."""
    view, half = viewpoint(np.array((0.0, 6.0, 2.0)), LEVEL), np.array((2.0, 1.0, 1.0))
    solid, at_eye = [], view.p_WE - (20.0, 0.0, 2.0)
    steps = (np.arange(400) + 0.5) / 200.0 - 1.0
    u, v = np.meshgrid(steps, steps)
    for axis, face in ((0, -half[0]), (1, half[1])):
        other = [k for k in range(3) if k != axis]
        p = np.stack([np.full(u.shape, face), *(half[k] * one for k, one in zip(other, (u, v), strict=True))])
        p = p[np.argsort([axis, *other])] - at_eye[:, None, None]
        solid.append((np.abs(p[axis]) / np.linalg.norm(p, axis=0) ** 3).sum() * half[other[0]] * half[other[1]])
    side = WorldObject("plate", Box((4.0, 0.02, 2.2)), (20.0, 1.1, 2.0), label="fence")
    [*_, found] = boxes(side, car(), view=view)
    assert found["occlusion"] == pytest.approx(solid[1] / sum(solid), abs=1.5 / CELLS**2)
    assert 0.1 < found["occlusion"] < 0.5


def test_ground_and_bushes_hide_and_buried_parts_do_not_count():
    assert boxes(car(z=0.0))["occlusion"] == 0.0, "the lower half is below the ground"
    assert boxes(car(z=-3.0))["occlusion"] == 1.0
    bush = wall(5.0, 10.0, material=Material(extinction=0.5))
    assert boxes(bush, car())["occlusion"] == pytest.approx([0.0, 0.5], abs=1e-12)
    below = viewpoint(np.array((0.0, 0.0, -1.0)), LEVEL)
    assert boxes(car(), view=below)["occlusion"] == 1.0


def test_a_box_around_the_eye_is_near_and_free():
    [one] = boxes(car(x=1.0))
    assert (one["distance"], one["occlusion"]) == (0.0, 0.0)


def test_pose_size_and_velocity_are_those_of_a_body_on_a_path_in_each_frame():
    points = np.array(((0.0, 0.0, 1.0), (50.0, 0.0, 1.0)))
    mover = WorldObject("mover", Box((4.0, 2.0, 1.5)), (0.0, 0.0, 1.0), label="person", motion=Way(points, speeds=np.array((5.0, 5.0))))
    ball = WorldObject("ball", Sphere(0.5), (0.0, 30.0, 3.0), label="rock")
    quarter = np.array((math.cos(0.25 * math.pi), 0.0, 0.0, math.sin(0.25 * math.pi)))  # the vehicle looks along y
    mount = Mount(np.array((0.0, 1.0, 2.0)), np.array(((1.0, 0.0, 0.0), (0.0, -1.0, 0.0), (0.0, 0.0, -1.0))))  # upside down
    own, sensor = (viewpoint(np.array((10.0, 5.0, 0.0)), quarter, one) for one in (None, mount))
    for view, place, speed, turn in (
        (own, (-5.0, -10.0, 1.0), (0.0, -5.0, 0.0), (math.sqrt(0.5), 0.0, 0.0, -math.sqrt(0.5))),
        (sensor, (-5.0, 11.0, 1.0), (0.0, 5.0, 0.0), (0.0, math.sqrt(0.5), math.sqrt(0.5), 0.0)),
    ):
        [one, other] = boxes(mover, ball, time=4.0, view=view)
        assert one["position"] == pytest.approx(place, abs=1e-12) and one["velocity"] == pytest.approx(speed, abs=1e-12)
        assert abs(one["attitude"] @ turn) == pytest.approx(1.0), one["attitude"]
        assert one["size"].tolist() == [4.0, 2.0, 1.5] and one["angular_velocity"].tolist() == [0.0] * 3
        assert (one["id"], one["label"], other["id"], other["label"]) == (1, LABELS["person"], 2, LABELS["rock"])
    eye = sensor.p_WE
    assert one["distance"] == pytest.approx(np.linalg.norm(np.maximum(np.abs(eye - (20.0, 0.0, 1.0)) - (2.0, 1.0, 0.75), 0.0)))
    assert len(boxes(mover, ball, time=4.0, max_range=15.0)) == 0
    assert boxes(mover, ball, time=4.0, labels=["rock"])["id"] == 2


def test_a_turning_box_has_the_velocity_of_its_center():
    """A hull whose origin is not its center, on a curve: the center moves by differences as the velocity says."""
    points = np.array(((10.0, 0.0, 1.0), (20.0, 5.0, 1.0), (20.0, 15.0, 1.0)))
    corners = np.array([(x, y, z) for x in (1.0, 5.0) for y in (0.0, 2.0) for z in (0.0, 1.0)])
    one = WorldObject("hull", ConvexHull(corners), (0.0, 0.0, 0.0), motion=Way(points, speeds=np.full(3, 4.0), smooth=True))
    before, now, after = (boxes(one, time=2.0 + dt)[0] for dt in (-1e-5, 0.0, 1e-5))
    assert now["velocity"] == pytest.approx((after["position"] - before["position"]) / 2e-5, abs=1e-6)
    assert abs(now["angular_velocity"][2]) > 0.1


def test_a_simulation_shows_other_vehicles_as_one_box_each():
    """The box of a vehicle is that of its body and its wheels; what hides it is what stands between."""
    lead = {"name": "lead", "vehicle": "sedan", "position": [20.0, 0.0], "speed": 10.0}
    sensors = [{"type": "imu", "name": "roof", "mount": {"position": [0.0, 0.0, 2.5]}}]
    sim = jounce.Simulation("sedan", "flat", platform=None, others=[lead], sensors=sensors)
    sim.advance(0.1)
    [one], [again] = sim.truth.boxes(), sim.truth.boxes()
    assert one.tobytes() == again.tobytes()
    state = sim.others["lead"].vehicle.space.state[0]
    assert 4.2 < one["size"][0] < 5.2 and 1.6 < one["size"][1] < 2.2 and 1.2 < one["size"][2] < 1.8
    assert one["label"] == LABELS["vehicle"] and one["occlusion"] == 0.0
    assert one["velocity"] == pytest.approx(state["v_WB_B"], abs=0.1)
    [seen], [world] = sim.truth.boxes("roof"), sim.truth.boxes("world")
    assert world["position"][2] - 0.5 * world["size"][2] == pytest.approx(0.0, abs=0.05), "the wheels touch the ground"
    assert seen["position"] == pytest.approx(one["position"] - (0.0, 0.0, 2.5))
    origins = sim["p_WB"] + np.array([(0.0, y, 0.05 * k) for y in (-0.2, 0.2) for k in range(-8, 20)])
    hits = sim.cast(origins, (1.0, 0.0, 0.0), 100.0)
    assert set(hits.object[hits.object > 0]) == {one["id"]}
    assert hits.range[hits.object > 0].min() == pytest.approx(one["position"][0] - 0.5 * one["size"][0], abs=0.02)
    sim.add_object({"name": "wall", "shape": "box", "size": [0.2, 30.0, 10.0], "position": [10.0, 0.0, 5.0], "label": "building"})
    assert [box["occlusion"] for box in sim.truth.boxes(labels=["vehicle"])] == [1.0]
    assert len(sim.truth.boxes(max_range=5.0)) == len(sim.truth.boxes(labels=[])) == 0


def test_a_wrong_call_is_one_line():
    truth = jounce.Simulation("sedan", "flat", platform=None).truth
    for call, text in (
        ({"frame": "rof"}, "frame: invalid value; expected vehicle, world; got 'rof'"),
        ({"labels": ["cat"]}, "labels: invalid value; expected names of labels: none"),
        ({"max_range": math.nan}, "max_range: invalid value"),
        ({"max_range": "far"}, "max_range: invalid value; expected a number"),
    ):
        with pytest.raises(jounce.ConfigError, match=text) as error:
            truth.boxes(**call)
        assert "\n" not in str(error.value)
