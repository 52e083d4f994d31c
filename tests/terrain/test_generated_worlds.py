"""Are the worlds of `type: generated` generated once, the same as by `jounce terrain make`, and generated again if the cache is damaged?"""

from __future__ import annotations

import errno
import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from simulator.base.errors import ConfigError, OutputError
from simulator.builder.builder import build_ground
from simulator.start_screen.choice import WORLDS
from simulator.tools.terrain.make_command import files_of, generate_terrain, write
from terrain import generated
from terrain.load_terrain import load_terrain
from terrain.objects.world_object import Breakaway, Capsule, Cylinder, Sphere

FOREST = {"type": "generated", "generator": {"type": "forest", "seed": 3, "size": 60}}


@pytest.fixture
def cache(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    folder = tmp_path / "cache"
    monkeypatch.setattr(generated, "user_cache", lambda name: folder)
    return folder


def ground_of(mapping: dict[str, Any]) -> Any:
    return load_terrain(mapping, "mine.yaml", Path(), soils())


def soils() -> Any:
    from simulator.base.yaml_reader import read_yaml
    from simulator.configuration.file_lookup import data_folder

    return {path.stem: read_yaml(path) for path in (data_folder("configs") / "soils").glob("[!.]*.yaml")}


def test_a_generated_world_is_that_of_the_command(cache: Path, tmp_path: Path) -> None:
    files = files_of(str(tmp_path / "made"))
    write(generate_terrain("forest", 3, ["size_m=60"]), files, "")
    made, ours = build_ground(str(files.yaml)), ground_of(FOREST)
    assert ours.name == "mine" and ours.spawn == made.spawn
    assert np.array_equal(ours.heights, made.heights) and np.array_equal(ours.soil_ids, made.soil_ids)
    assert np.array_equal(ours.objects.records["low"], made.objects.records["low"])


def test_the_second_start_reads_the_cache_and_a_damaged_file_is_generated_again(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = ground_of(FOREST)
    calls = []
    generate = generated.kinds.generate
    monkeypatch.setattr(generated.kinds, "generate", lambda *values: (calls.append(values), generate(*values))[1])
    assert np.array_equal(ground_of(FOREST).heights, first.heights) and not calls
    (heights,) = cache.glob("*/*_heights.png")
    heights.write_bytes(heights.read_bytes()[:-40])
    assert np.array_equal(ground_of(FOREST).heights, first.heights) and len(calls) == 1
    next(cache.glob("*/terrain.json")).write_text("[]")
    assert np.array_equal(ground_of(FOREST).heights, first.heights) and len(calls) == 2
    index = next(cache.glob("*/terrain.json"))
    content = json.loads(index.read_text())
    content["terrain"]["objects_table"] = "elsewhere.csv"
    index.write_text(json.dumps(content))
    assert np.array_equal(ground_of(FOREST).heights, first.heights) and len(calls) == 3
    assert [path.name[0] != "." for path in cache.iterdir()] == [True]


def test_a_process_that_was_slower_leaves_the_files_of_the_faster_one(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    generate, inside = generated.kinds.generate, []

    def slow(*values: Any) -> Any:
        if not inside:
            inside.append(True)
            ground_of(FOREST)  # another process, in the meantime
            inside.append({file: file.stat().st_ino for file in cache.glob("*/*")})
        return generate(*values)

    monkeypatch.setattr(generated.kinds, "generate", slow)
    ground_of(FOREST)
    assert {file: file.stat().st_ino for file in cache.glob("*/*")} == inside[1] != {}, "the other process may still read them"
    assert len(list(cache.iterdir())) == 1


@pytest.mark.parametrize("is_full", [False, True])
def test_a_full_cache_uses_temporary_files_and_leaves_nothing(
    is_full: bool, cache: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    first = ground_of(FOREST)
    shutil.rmtree(cache)
    temporary, write_bytes = tmp_path / "temporary", Path.write_bytes

    def write(path: Path, data: bytes) -> int:
        if is_full or cache in path.parents:
            raise OSError(errno.ENOSPC, "No space left on device")
        return write_bytes(path, data)

    monkeypatch.setattr(Path, "write_bytes", write)
    monkeypatch.setattr(generated.tempfile, "gettempdir", lambda: str(temporary))
    if is_full:
        with pytest.raises(OutputError, match=r"cannot be written \(No space left on device\); expected space for .* MB"):
            ground_of(FOREST)
    else:
        assert np.array_equal(ground_of(FOREST).heights, first.heights)
    assert list(cache.iterdir()) == list(temporary.iterdir()) == []


def test_another_seed_is_another_world(cache: Path) -> None:
    other = {**FOREST, "generator": {**FOREST["generator"], "seed": 4}}
    assert not np.array_equal(ground_of(FOREST).heights, ground_of(other).heights)


def test_the_file_adds_objects_features_and_a_start(cache: Path) -> None:
    town = {"type": "generated", "generator": {"type": "town", "seed": 1, "blocks": [1, 1]}}
    plain = ground_of(town)
    more = ground_of(
        town
        | {
            "begin_at": "curb",
            "features": [{"type": "half_round", "at": [0.0, 0.0], "radius": 0.1, "length": 2.0}],
            "objects": [{"name": "extra", "shape": "sphere", "radius": 0.5, "position": [3.0, 3.0]}],
        }
    )
    assert len(more.objects) == len(plain.objects) + 1
    assert len(more.features.pieces) == len(plain.features.pieces) + 1
    assert len(set(more.features.pieces["feature"])) == len(set(plain.features.pieces["feature"])) + 1
    assert more.spawn != plain.spawn
    assert float(more.height(0.0, 0.0)) == pytest.approx(float(plain.height(0.0, 0.0)) + 0.1, abs=0.01)


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({"begin_at": "nowhere"}, "begin_at.*track"),
        ({"generator": {"type": "forrest"}}, "generator.type.*did you mean forest"),
        ({"generator": {"type": "forest", "sizes": 3}}, "generator.sizes.*did you mean size"),
        ({"generator": {"type": "forest", "trunk": [0.5, 0.1]}}, "generator.trunk.*the minimum, then the maximum"),
        ({"generator": {"type": "forest", "size": 1000, "spacing": 0.25}}, "generator.spacing.*at least"),
    ],
)
def test_mistakes_name_their_key(cache: Path, change: dict[str, Any], expected: str) -> None:
    with pytest.raises(ConfigError, match=expected):
        ground_of(FOREST | change)


@pytest.mark.parametrize("world", WORLDS)
def test_worlds_of_the_start_screen_load(world: str) -> None:
    ground = build_ground(world)
    assert np.isfinite(ground.heights).all() and ground.height(*ground.spawn[:2]) < 1e3


def test_streets_begin_on_a_street_and_their_barrels_and_posts_break_away() -> None:
    ground = build_ground("streets")
    words = [one.name.partition("_")[0] for one in ground.objects.objects]
    assert words.count("barrel") > 20 and words.count("lamp") > 40
    for one, word in zip(ground.objects.objects, words, strict=True):
        assert isinstance(one.motion, Breakaway) == (word in ("barrel", "lamp"))
    x, y, yaw = ground.spawn
    along = np.linspace(0.0, 15.0, 31)  # the crown of a street falls toward the curbs, without a step
    heights = [float(ground.height(x + s * np.cos(yaw), y + s * np.sin(yaw))) for s in along]
    assert np.ptp(heights) < 0.05


def test_trees_of_the_woods_have_trunks_and_crowns() -> None:
    objects = build_ground("woods").objects.objects
    trunks = {one.name: one for one in objects if one.label == "vegetation" and isinstance(one.shape, Cylinder)}
    crowns = {one.name.removesuffix("_crown"): one for one in objects if one.name.endswith("_crown")}
    assert len(trunks) > 500 and trunks.keys() == crowns.keys()
    kinds = {type(one.shape) for one in crowns.values()}
    assert kinds == {Capsule, Sphere} and all(one.material.extinction > 0.0 for one in crowns.values())
    for name, crown in crowns.items():
        assert crown.position[:2] == trunks[name].position[:2] and crown.position[2] > trunks[name].position[2] + 1.0
