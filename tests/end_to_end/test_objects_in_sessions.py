"""Do objects of a session, of a terrain and of a program come together, keep off the start, and come back in a rerun?"""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

import jounce
from simulator.base.errors import ConfigError, JounceError
from simulator.builder.builder import build
from simulator.builder.session_objects import put_objects
from simulator.configuration.configuration import configuration
from simulator.run.object_changes import KEY, apply_due, changes_text, read_changes
from terrain.objects.world_object import Sphere, WorldObject


def session_file(folder: Path, objects: list[dict], terrain_objects: list[dict] | None = None) -> str:
    (folder / "world.yaml").write_text(yaml.safe_dump({"type": "flat", "objects": terrain_objects or []}))
    (folder / "session.yaml").write_text(yaml.safe_dump({"vehicle": "hmmwv", "terrain": "world.yaml", "objects": objects}))
    return str(folder / "session.yaml")


def test_objects_of_a_session_are_added_to_those_of_the_terrain_once(tmp_path: Path) -> None:
    one, other = ({"shape": "sphere", "radius": 0.5, "position": [x, 20]} for x in (30, 40))
    c = configuration(session_file(tmp_path, [one], [other]))
    parts = build(c, check_step=False)
    assert [one.position[0] for one in parts.ground.objects.objects] == [40.0, 30.0]
    put_objects(c)  # as in a rerun, which builds from the complete configuration
    assert len(c.complete()["terrain"]["objects"]) == 2
    assert "objects" not in c.complete()


def test_a_faulty_object_is_named_by_the_file_that_has_it(tmp_path: Path) -> None:
    good, bad = {"shape": "sphere", "radius": 0.5, "position": [30, 20]}, {"shape": "sphere", "radius": -1, "position": [30, 20]}
    with pytest.raises(ConfigError, match=r"session\.yaml.*objects\[1\]\.radius"):
        build(configuration(session_file(tmp_path, [good, bad])), check_step=False)
    with pytest.raises(ConfigError, match=r"world\.yaml.*objects\[0\]\.radius"):
        build(configuration(session_file(tmp_path, [good], [bad])), check_step=False)


@pytest.mark.parametrize(
    ("section", "blocks"),
    [
        ({"shape": "box", "size": [1, 1, 1], "position": [2.5, 0.5]}, True),
        ({"shape": "box", "size": [1, 1, 1], "position": [3.5, 0.5]}, False),
        ({"shape": "box", "size": [20, 20, 1], "position": [0, 0, 8]}, False),
        ({"shape": "cylinder", "radius": 2, "height": 3, "position": [0, 0], "extinction": 1}, False),
        ({"shape": "box", "size": [1, 1, 1], "path": {"points": [[0, 0], [50, 0]], "speed": 1}}, True),
    ],
)
def test_no_solid_object_is_on_the_start(tmp_path: Path, section: dict, blocks: bool) -> None:
    c = configuration(session_file(tmp_path, [{**section, "name": "thing"}]))
    if not blocks:
        build(c, check_step=False)
        return
    with pytest.raises(ConfigError, match=r"no object on the start.*nearest free place of the vehicle is \[.*thing"):
        build(c, check_step=False)


def test_the_nearest_free_place_is_free(tmp_path: Path) -> None:
    thing = {"shape": "box", "size": [6, 30, 2], "position": [0, 0], "name": "wall"}
    with pytest.raises(ConfigError) as caught:
        build(configuration(session_file(tmp_path, [thing])), check_step=False)
    place = caught.value.expected.split("[")[2].rstrip("]")
    x, y = map(float, place.split(","))
    c = configuration(session_file(tmp_path, [{**thing, "position": [-x, -y]}]))
    build(c, check_step=False)


def test_a_program_adds_and_removes_objects() -> None:
    sim = jounce.Simulation("hmmwv", "flat")
    first = sim.add_object({"shape": "sphere", "radius": 1, "position": [80, 30], "label": "rock"})
    sim.advance(0.1)
    second = sim.add_object(WorldObject("ball", Sphere(0.5), (90.0, 30.0, 0.5)))
    sim.remove_object(first)
    assert (first, second) == (1, 2)
    assert {number: one.name for number, one in sim.objects.items()} == {2: "ball"}
    with pytest.raises(JounceError, match="no such object"):
        sim.remove_object(first)
    with pytest.raises(ConfigError, match="radius"):
        sim.add_object({"shape": "sphere", "radius": -1, "position": [80, 30]})
    with pytest.raises(JounceError, match="ball"):
        sim.add_object(WorldObject("ball", Sphere(0.5), (90.0, 30.0, 0.5)))
    recorded = read_changes(sim.log.about, Path("log"))
    again = jounce.Simulation("hmmwv", "flat").session
    for tick in (0, 100):
        again.tick = tick
        apply_due(again, recorded)
    assert again.objects.records.tobytes() == sim.session.objects.records.tobytes()
    assert changes_text(again) == sim.log.about[KEY]
    sim.reset()
    assert sim.objects == {}


def test_an_object_of_a_program_is_hit_and_the_positions_are_the_present_ones() -> None:
    sim = jounce.Simulation("hmmwv", "flat")
    path = {"points": [[50, -8], [50, 8]], "speed": 2}
    cone = {"shape": "cylinder", "radius": 0.2, "height": 0.7, "position": [8, 0], "label": "cone", "breakaway": {"mass": 3}}
    wall = sim.add_object({"shape": "box", "size": [1, 4, 3], "position": [14, 0], "name": "wall"})
    cone, walker = sim.add_object({**cone, "name": "cone"}), sim.add_object({"shape": "sphere", "radius": 0.5, "path": path})
    sim.command(throttle=1.0)
    sim.advance(5.0)
    assert {one.name for one in sim.collisions} == {"cone", "wall"}
    assert sim["p_WB_x"] < 13.0
    assert sim.object_position(wall) == pytest.approx([14.0, 0.0, 1.5])
    assert sim.object_position(walker) == pytest.approx([50.0, 2.0, 0.5], abs=1e-2)
    assert sim.object_position(cone)[0] > 8.5
    with pytest.raises(JounceError, match="no such object"):
        sim.object_position(9)
