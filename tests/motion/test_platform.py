"""Is the hexapod the one described? Leg lengths against geometry, symmetry, stated excursions, and a platform of the literature."""

import numpy as np
import pytest
from cueing_scenes import platform, platform_mapping

from simulator.base.errors import ConfigError
from washout.platform import HEXAPOD, hexapod, joint_positions, leg_bend, leg_directions, leg_lengths


def legs_at(p, pose):
    out = np.zeros(6)
    leg_lengths(p, np.asarray(pose, dtype=float), out)
    return out


def excursion(p, axis, sign, step):
    """Largest single-axis excursion from neutral that keeps all legs off the cushions."""
    low, high = p[0]["shortest_leg"] + p[0]["stroke_margin"], p[0]["longest_leg"] - p[0]["stroke_margin"]
    pose, way = np.zeros(6), 0.0
    while True:
        pose[axis] = sign * (way + step)
        legs = legs_at(p, pose)
        if legs.min() < low or legs.max() > high:
            return way
        way += step


def test_simona_has_the_stated_excursions():
    p = platform("simona")
    stated = {(0, -1): 0.981, (0, 1): 1.259, (1, 1): 1.031, (1, -1): 1.031, (2, 1): 0.636, (2, -1): 0.678}
    for (axis, sign), way in stated.items():
        assert excursion(p, axis, sign, 1e-3) == pytest.approx(way, abs=2e-3)
    stated_deg = {(3, 1): 25.9, (3, -1): 25.9, (4, 1): 23.7, (4, -1): 24.3, (5, 1): 41.6}
    for (axis, sign), angle in stated_deg.items():
        assert np.degrees(excursion(p, axis, sign, 1e-3)) == pytest.approx(angle, abs=0.15)


def test_tsai_platform_has_its_published_legs():
    """Leg lengths of the platform of Tsai (2000), worked out independently of this code (level, and turned by 30 degrees)."""
    p = np.zeros(1, dtype=platform().dtype)
    p[0]["platform_joints"] = [
        [0.170, 0.595, -0.4],
        [-0.600, 0.150, -0.4],
        [-0.600, -0.150, -0.4],
        [0.170, -0.595, -0.4],
        [0.430, -0.445, -0.4],
        [0.430, 0.445, -0.4],
    ]
    p[0]["base_joints"] = [[-2.12, 1.374, 0], [-2.38, 1.224, 0], [-2.38, -1.224, 0], [-2.12, -1.374, 0], [0, -0.15, 0], [0, 0.15, 0]]
    home = [-1.5, 0.0, 1.0]
    assert legs_at(p, [*home, 0, 0, 0]) == pytest.approx([1.2613, 1.2617, 1.2617, 1.2613, 1.2617, 1.2617], abs=6e-5)
    turned = legs_at(p, [*home, 0, 0, np.radians(30)])
    assert turned == pytest.approx([1.0859, 1.5443, 1.0863, 1.5441, 1.0861, 1.5446], abs=6e-5)
    assert legs_at(p, [-1.3, 0.2, 1.2, 0, 0, 0]) == pytest.approx([1.3983, 1.2784, 1.5791, 1.6058, 1.1857, 1.2814], abs=6e-5)


@pytest.mark.parametrize("name", ["small_hexapod", "simona"])
def test_legs_are_distances_between_drawn_joints(name):
    p = platform(name)
    rng = np.random.default_rng(3)
    for _ in range(50):
        pose = rng.uniform(-1, 1, 6) * [0.2, 0.2, 0.15, 0.3, 0.3, 0.3]
        base, top = joint_positions(p, pose)
        assert legs_at(p, pose) == pytest.approx(np.linalg.norm(top - base, axis=1), rel=1e-14)


@pytest.mark.parametrize("name", ["small_hexapod", "simona", "seat_3dof", "seat_2dof"])
def test_mirrored_pose_has_mirrored_legs(name):
    p = platform(name)
    mirrored = np.array([np.argmin(np.abs(p[0]["base_joints"] - b * [1, -1, 1]).sum(axis=1)) for b in p[0]["base_joints"]])
    pose = np.array([0.05, 0.04, -0.03, 0.1, -0.08, 0.12])
    assert legs_at(p, pose)[mirrored] == pytest.approx(legs_at(p, pose * [1, -1, 1, -1, 1, -1]), abs=1e-5)


def test_neutral_and_park_legs():
    p = platform()
    assert legs_at(p, np.zeros(6)) == pytest.approx(np.full(6, p[0]["neutral_leg"]), abs=1e-4)
    parked = legs_at(p, [0, 0, p[0]["park_height"], 0, 0, 0])
    assert parked == pytest.approx(np.full(6, p[0]["shortest_leg"] + 2 * p[0]["stroke_margin"]), abs=1e-4)


def test_directions_are_derivatives_of_the_legs():
    p = platform("simona")
    pose = np.zeros(6)
    numeric = np.zeros((6, 6))
    for k in range(6):
        step = np.zeros(6)
        step[k] = 1e-6
        numeric[:, k] = (legs_at(p, pose + step) - legs_at(p, pose - step)) / 2e-6
    numeric[:, 3:] /= p[0]["reach"]
    assert leg_directions(p, pose) == pytest.approx(numeric, abs=1e-8)


@pytest.mark.parametrize("name", ["small_hexapod", "simona"])
def test_bend_bounds_the_second_derivative(name):
    """The limiter's proof rests on this bound; it must hold, and must not be so loose as to be useless."""
    p = platform(name)
    rng = np.random.default_rng(8)
    largest_share = 0.0
    for _ in range(400):
        pose = rng.uniform(-1, 1, 6) * [0.1, 0.1, 0.08, 0.2, 0.2, 0.2]
        rates = rng.normal(size=6) * rng.choice([0.0, 1.0], 6)
        if legs_at(p, pose).min() < p[0]["shortest_leg"]:
            continue
        e = 1e-4
        second = (legs_at(p, pose + e * rates) - 2 * legs_at(p, pose) + legs_at(p, pose - e * rates)) / e**2
        bend = leg_bend(p, rates)
        assert np.abs(second).max() <= bend * (1 + 1e-6) + 1e-6
        largest_share = max(largest_share, np.abs(second).max() / max(bend, 1e-12))
    assert largest_share > 0.3


@pytest.mark.parametrize(
    ("change", "key"),
    [
        ({"leg_speed": 0.0}, "leg_speed"),
        ({"leg_speed": "fast"}, "leg_speed"),
        ({"leg_speed": True}, "leg_speed"),
        ({"longest_leg": 0.5}, "longest_leg"),
        ({"stroke_margin": 0.2}, "stroke_margin"),
        ({"neutral_leg": 0.72}, "neutral_leg"),
        ({"neutral_leg": float("nan")}, "neutral_leg"),
        ({"wheels": 4}, "wheels"),
        ({"platform_joints": [[0.0, 0.0, 0.0]] * 6}, "platform_joints"),
        ({"platform_joints": [[0.0, 0.0]] * 6}, "platform_joints"),
        ({"base_joints": [[3.0, 0.0, 0.0]] * 6}, "shortest_leg"),
    ],
)
def test_unusable_platform_is_refused_by_key(change, key):
    with pytest.raises(ConfigError) as error:
        hexapod({**platform_mapping(), **change}, "broken.yaml")
    assert str(error.value).startswith("broken.yaml: ")
    assert key in str(error.value) or key == "shortest_leg"


HEAD = [0.0, 0.0, 0.9]


@pytest.mark.parametrize(
    ("left_out", "said", "named"),
    [
        (["leg_speed"], {}, "leg_speed"),
        (["seat"], {}, "seat"),
        (["head"], {"p_PH": HEAD}, "head"),
        (["seat", "head"], {}, "p_PH"),
        (["actuator_bandwidth_Hz"], {}, "actuator_delay"),
    ],
)
def test_missing_key_is_named(left_out, said, named):
    mapping = {key: value for key, value in platform_mapping().items() if key not in left_out} | said
    with pytest.raises(ConfigError, match=named):
        hexapod(mapping, "broken.yaml")


def test_the_head_is_the_default_cueing_point():
    shipped = platform_mapping()
    older = {key: value for key, value in shipped.items() if key not in ("seat", "head")} | {"p_PH": HEAD}
    low = [0.0, 0.0, 0.2]
    for mapping, cued, felt_at in ((shipped, HEAD, HEAD), (older, HEAD, HEAD), (shipped | {"p_PH": low}, low, HEAD)):
        p = hexapod(mapping, "platform.yaml")
        assert p[0]["p_PH"] == pytest.approx(cued, abs=1e-12)
        assert p[0]["felt_at"] == pytest.approx(felt_at, abs=1e-12)


def test_singular_legs_are_refused():
    """Legs that all meet the platform above one another cannot resist yaw."""
    angles = np.radians([0, 60, 120, 180, 240, 300])
    ring = np.stack([0.5 * np.cos(angles), 0.5 * np.sin(angles), np.zeros(6)], axis=1)
    mapping = {**platform_mapping(), "base_joints": (1.1 * ring).tolist(), "platform_joints": ring.tolist()}
    with pytest.raises(ConfigError, match="singular"):
        hexapod(mapping, "broken.yaml")


def test_every_field_has_a_unit():
    assert all(len(row) >= 4 and row[2] and row[3] for row in HEXAPOD)


def test_seats_have_the_stated_excursions():
    stated = {"seat_3dof": {2: 0.05, 3: np.radians(9.6), 4: np.radians(5.7)}, "seat_2dof": {3: np.radians(12.7), 4: np.radians(9.0)}}
    for name, ways in stated.items():
        p = platform(name)
        p[0]["stroke_margin"] = 0.0
        assert [bool(free) for free in p[0]["freedoms"]] == [axis in ways for axis in range(6)]
        for axis, way in ways.items():
            for sign in (-1, 1):
                assert excursion(p, axis, sign, 1e-4) == pytest.approx(way, rel=0.02)


def test_actuators_of_a_seat_by_closed_form():
    """Upright actuators at x, y under a seat that heaves by z and pitches, or rolls, about its middle h above the floor."""
    p = platform("seat_3dof")
    h, (x, y) = 0.35, p[0]["base_joints"][1, :2]
    z, angle = 0.02, 0.05
    pitched = np.hypot(x * (np.cos(angle) - 1.0), h + z - x * np.sin(angle))
    rolled = np.hypot(y * (np.cos(angle) - 1.0), h + z + y * np.sin(angle))
    assert legs_at(p, [0, 0, z, 0, angle, 0])[1] == pytest.approx(pitched, abs=1e-12)
    assert legs_at(p, [0, 0, z, angle, 0, 0])[1] == pytest.approx(rolled, abs=1e-12)
    assert legs_at(p, [0, 0, z, angle, 0, 0]).tolist() == legs_at(p, [0, 0, z, angle, 0, 0])[[0, 1, 2, 0, 1, 2]].tolist()


def test_a_seat_whose_actuators_stand_in_a_line_is_refused():
    line = [[x, 0.0, 0.0] for x in (-0.5, 0.0, 0.5)]
    with pytest.raises(ConfigError, match="3 degrees of freedom"):
        hexapod({**platform_mapping("seat_3dof"), "base_joints": line, "platform_joints": line}, "broken.yaml")
    with pytest.raises(ConfigError, match="2 x 3"):
        hexapod({**platform_mapping("seat_2dof"), "base_joints": line}, "broken.yaml")
    with pytest.raises(ConfigError, match="seat_3dof"):
        hexapod({**platform_mapping(), "type": "seat_4dof"}, "broken.yaml")
