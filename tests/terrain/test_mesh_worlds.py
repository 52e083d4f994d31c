"""Does a mesh become a surface on which to drive, below bridges if wanted, and the objects on it?"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from simulator.base.errors import ConfigError
from simulator.builder.builder import build_ground
from simulator.cli.parser import parser_of
from simulator.tools.terrain.mesh_world import drivable_heights
from terrain.ground import Ground
from terrain.readers.mesh import Mesh

QUADS = ((0, 3, 2, 1), (4, 5, 6, 7), (0, 1, 5, 4), (1, 2, 6, 5), (2, 3, 7, 6), (3, 0, 4, 7))
"""Faces of a box, corners in the order of an outward normal."""


def box(low: Any, high: Any) -> list[np.ndarray]:
    """Return the corners (4, 3) of the faces of a box."""
    (a, b, c), (d, e, f) = low, high
    corners = np.array([(x, y, z) for z in (c, f) for x, y in ((a, b), (d, b), (d, e), (a, e))])
    return [corners[list(quad)] for quad in QUADS]


GROUND = [np.array(((-30.0, -20.0, 0.0), (30.0, -20.0, 0.0), (30.0, 20.0, 1.2), (-30.0, 20.0, 1.2)))]
"""A plane that rises by 3 % along y."""
TOWN = {
    "street": GROUND,
    "house_1": box((-25.0, -10.0, -0.5), (-15.0, 0.0, 8.0)),
    "bridge_deck": [*box((5.0, -20.0, 5.5), (13.0, 20.0, 6.0)), *box((8.0, -0.5, 0.0), (9.0, 0.5, 5.5))],
    "car_red": box((20.0, -6.0, 0.3), (24.0, -4.0, 1.9)),
    "curb": box((-30.0, 14.0, 0.9), (30.0, 20.0, 1.3)),
}


def write_obj(file: Path, groups: dict[str, list[np.ndarray]], flipped: bool = False) -> None:
    lines, count = [], 0
    for name, faces in groups.items():
        lines.append(f"o {name}")
        for face in faces:
            lines += ["v {} {} {}".format(*corner) for corner in (face[::-1] if flipped else face)]
            lines.append("f " + " ".join(str(count + k + 1) for k in range(len(face))))
            count += len(face)
    file.write_text("\n".join(lines) + "\n")


def imported(file: Path, out: Path, *options: str) -> Ground:
    given = parser_of("terrain", "import").parse_args(
        ["terrain", "import", str(file), "--set", "up=z", "--spacing", "0.5", "--out", str(out), *options]
    )
    assert given.run(given) == 0
    return build_ground(str(out / f"{out.name}.yaml"))


def plane(y: float) -> float:
    return 0.03 * (y + 20.0)


@pytest.fixture(scope="module", params=[False, True], ids=["outward", "inward"])
def world(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Ground:
    folder = tmp_path_factory.mktemp("mesh")
    write_obj(folder / "town.obj", TOWN, request.param)
    return imported(folder / "town.obj", folder / "town", "--objects")


def test_the_surface_goes_below_a_bridge_when_asked(world: Ground, tmp_path: Path) -> None:
    for x, y in ((10.5, 10.0), (6.0, -12.0), (12.0, 3.0)):
        assert world.height(x, y) == pytest.approx(plane(y), abs=1e-3)
    write_obj(tmp_path / "town.obj", TOWN)
    top = imported(tmp_path / "town.obj", tmp_path / "top")
    assert top.height(10.5, 10.0) == pytest.approx(6.0, abs=1e-3), "without the option: the topmost surface"
    assert len(top.objects) == 0


def test_a_low_bridge_stays_surface(tmp_path: Path) -> None:
    """A culvert 2 m high is no way: the surface is on it, unless the clearance is smaller."""
    ramps = [
        np.array(((-8.0, -10.0, 0.3), (8.0, -10.0, 0.3), (8.0, -2.0, 2.3), (-8.0, -2.0, 2.3))),
        np.array(((-8.0, 2.0, 2.3), (8.0, 2.0, 2.3), (8.0, 10.0, 0.9), (-8.0, 10.0, 0.9))),
    ]
    culvert = {"street": GROUND, "culvert": box((-8.0, -2.0, 2.0), (8.0, 2.0, 2.3)), "ramp": ramps}
    write_obj(tmp_path / "c.obj", culvert)
    assert imported(tmp_path / "c.obj", tmp_path / "over", "--objects").height(0.0, 0.0) == pytest.approx(2.3, abs=1e-3)
    below = imported(tmp_path / "c.obj", tmp_path / "below", "--objects", "--clearance", "1.2")
    assert below.height(0.0, 0.0) == pytest.approx(plane(0.0), abs=1e-3)


def test_buildings_and_cars_become_objects_on_closed_ground(world: Ground) -> None:
    """The roof of the house is 8 m high and has no ramp, the car is lower than the clearance: the surface continues below both."""
    for x, y in ((-20.0, -5.0), (22.0, -5.0)):
        assert world.height(x, y) == pytest.approx(plane(y), abs=0.02)
    labels = sorted(one.label for one in world.objects.objects)
    assert labels == ["building", "building", "building", "vehicle"], "house, deck and pier of the bridge, car"
    records = world.objects.records
    tops = sorted(np.round(records["high"][:, 2], 2))
    assert tops == [1.9, 5.5, 6.0, 8.0]
    house = next(k for k, one in enumerate(world.objects.objects) if records["high"][k, 2] > 7.0)
    np.testing.assert_allclose(records["low"][house], (-25.0, -10.0, -0.5), atol=1e-3)
    np.testing.assert_allclose(records["high"][house], (-15.0, 0.0, 8.0), atol=1e-3)


def test_a_curb_is_surface(world: Ground) -> None:
    assert world.height(0.0, 17.0) == pytest.approx(1.3, abs=1e-3)
    assert world.height(0.0, 13.0) == pytest.approx(plane(13.0), abs=1e-3)


def test_ground_is_filled_where_the_mesh_has_a_hole(tmp_path: Path) -> None:
    """Below many buildings there is no ground in the mesh."""
    ring = [
        np.array(((a, b, 0.0), (c, b, 0.0), (c, d, 0.0), (a, d, 0.0)))
        for a, b, c, d in ((-20, -20, 20, -5), (-20, 5, 20, 20), (-20, -5, -5, 5), (5, -5, 20, 5))
    ]
    write_obj(tmp_path / "h.obj", {"ground": ring, "house": box((-5.0, -5.0, 0.0), (5.0, 5.0, 7.0))[1:]})
    ground = imported(tmp_path / "h.obj", tmp_path / "h", "--objects")
    assert ground.height(0.0, 0.0) == pytest.approx(0.0, abs=1e-3)
    (house,) = ground.objects.objects
    assert house.label == "building"
    assert ground.objects.records["high"][0, 2] == pytest.approx(7.0)


def test_other_files_and_lonely_options_are_refused(tmp_path: Path) -> None:
    np.save(tmp_path / "dem.npy", np.zeros((20, 20)))
    with pytest.raises(ConfigError, match="a mesh"):
        sets = ("--set", "first_row=south", "--set", "origin=[0,0]", "--set", "spacing=[1,1]", "--set", "scale=1", "--set", "offset=0")
        given = parser_of("terrain", "import").parse_args(
            ["terrain", "import", str(tmp_path / "dem.npy"), *sets, "--objects", "--out", str(tmp_path / "x")]
        )
        given.run(given)
    write_obj(tmp_path / "t.obj", TOWN)
    with pytest.raises(ConfigError, match="--objects"):
        imported(tmp_path / "t.obj", tmp_path / "y", "--clearance", "2")
    assert not (tmp_path / "y").exists()
    wall = Mesh(np.array([[(0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (1.0, 0.0, 1.0)]]), ())
    with pytest.raises(ConfigError, match="no drivable surface"):
        drivable_heights(wall, np.arange(4.0), np.arange(4.0), 3.5)
