"""Is the body of a vehicle the mesh that its file names: in place, with its colors, and are unusable files reported in one line?"""

from __future__ import annotations

import json
import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from simulator.api.loading import load_vehicle
from simulator.base.errors import ConfigError, DeviceError
from simulator.cli.main import main
from simulator.view.bodies.body_mesh import MAX_TRIANGLES, MeshTextureWarning, checked_mesh, mesh_of, text_of
from simulator.view.bodies.kinds import body_of
from simulator.view.make_object_data import make_object_data
from simulator.view.offscreen import Offscreen
from simulator.view.vehicle_geometry import checked_geometry
from simulator.view.vehicle_parts import view_geometry
from terrain.load_terrain import load_terrain
from terrain.objects.mesh_file import PaintedMesh, read_mesh
from tests.view.scenes import geometry, hilly_terrain, readout
from vehicles.appearance import BodyMesh

RED = {"pbrMetallicRoughness": {"baseColorFactor": [1.0, 0.0, 0.0, 1.0], "roughnessFactor": 1.0}}
PANE = {"pbrMetallicRoughness": {"baseColorFactor": [0.1, 0.2, 0.3, 0.4]}, "alphaMode": "BLEND"}
PICTURE = {"pbrMetallicRoughness": {"baseColorTexture": {"index": 0}}}
FACES = ((0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3))


def block(low: Any, high: Any) -> np.ndarray:
    """Triangles (36, 3) of a box between two corners in B, in the axes of a glTF file: x forward, y up, z right; counterclockwise."""
    corners = np.array([(x, y, z) for x in (low[0], high[0]) for y in (low[1], high[1]) for z in (low[2], high[2])])
    b = corners[[face[k] for face in FACES for k in (0, 1, 2, 0, 2, 3)]]
    return np.column_stack((b[:, 0], b[:, 2], -b[:, 1]))


def write(
    path: Path, *parts: tuple[np.ndarray, dict[str, Any]], normals: np.ndarray | None = None, node: dict[str, Any] | None = None
) -> Path:
    """Write a .glb file: corners of triangles, and a material, for each part."""
    arrays = [corners for corners, _ in parts] + ([] if normals is None else [normals])
    data = b"".join(np.asarray(one, "<f4").tobytes() for one in arrays)
    starts = np.cumsum([0, *(12 * len(one) for one in arrays)]).tolist()
    attributes = [{"POSITION": n} | ({} if normals is None else {"NORMAL": len(parts)}) for n in range(len(parts))]
    text = json.dumps({
        "asset": {"version": "2.0"}, "scenes": [{"nodes": [0]}], "nodes": [{"mesh": 0, **(node or {})}],
        "meshes": [{"primitives": [{"attributes": one, "material": n} for n, one in enumerate(attributes)]}],
        "materials": [material for _, material in parts],
        "accessors": [{"bufferView": n, "componentType": 5126, "count": len(one), "type": "VEC3"} for n, one in enumerate(arrays)],
        "bufferViews": [{"buffer": 0, "byteOffset": starts[n], "byteLength": 12 * len(one)} for n, one in enumerate(arrays)],
        "buffers": [{"byteLength": len(data)}],
    }).encode()  # fmt: skip
    text += b" " * (-len(text) % 4)
    chunks = struct.pack("<I4s", len(text), b"JSON") + text + struct.pack("<I4s", len(data), b"BIN\0") + data
    path.write_bytes(b"glTF" + struct.pack("<II", 2, 12 + len(chunks)) + chunks)
    return path


def mesh_at(path: Path, position: tuple[float, float, float] = (0.0, 0.0, 0.0), yaw: float = 0.0) -> BodyMesh:
    return checked_mesh(BodyMesh(path.name, str(path.parent / "own.yaml"), position, yaw), path.parent)


@pytest.fixture
def hull(tmp_path: Path) -> Path:
    """A red block with a pane on its front."""
    low, high = (-2.0, -0.9, 0.1), (2.0, 0.9, 1.2)
    return write(tmp_path / "hull.glb", (block(low, high), RED), (block((2.0, -0.5, 0.6), (2.01, 0.5, 1.0)), PANE))


def test_a_mesh_file_becomes_the_shell_in_the_axes_of_the_vehicle(hull: Path) -> None:
    shown = geometry() | {"mesh": text_of(mesh_at(hull))}
    body, usual = body_of(checked_geometry(shown)), body_of(checked_geometry(geometry()))
    np.testing.assert_allclose(
        [body.shell[:, :3].min(axis=0), body.shell[:, :3].max(axis=0)], [(-2.0, -0.9, 0.1), (2.0, 0.9, 1.2)], atol=1e-6
    )
    np.testing.assert_allclose(np.unique(body.shell[:, 6:], axis=0), [(1.0, 0.0, 0.0, 0.0)], atol=1e-6)
    assert body.glass[:, 0].min() == pytest.approx(2.0, abs=1e-6) and len(body.glass) == 36
    corners = body.shell[:, :3].reshape(-1, 3, 3)
    outward = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    assert (np.sum(outward * (corners.mean(axis=1) - (0.0, 0.0, 0.65)), axis=1) > 0.0).all()
    assert (np.sum(outward * body.shell[::3, 3:6], axis=1) > 0.0).all()
    np.testing.assert_array_equal(body.inner_shell, usual.shell)  # what the driver sees
    np.testing.assert_array_equal(body.frame, usual.frame)
    assert (body.fittings[:, 2] < 1.2).all() and len(body.fittings) < len(usual.fittings)


def test_position_and_yaw_place_the_mesh(tmp_path: Path) -> None:
    file = write(tmp_path / "nose.glb", (block((0.0, -0.1, 0.0), (1.0, 0.1, 0.2)), RED))
    mesh = mesh_of(text_of(mesh_at(file, (-0.5, 0.3, 0.2), np.pi / 2)))
    np.testing.assert_allclose([mesh[:, :3].min(axis=0), mesh[:, :3].max(axis=0)], [(-0.6, 0.3, 0.2), (-0.4, 1.3, 0.4)], atol=1e-6)


def test_normals_of_the_file_follow_a_mirrored_and_stretched_node(tmp_path: Path) -> None:
    corners = np.array(((0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (0.0, 1.0, -1.0)))
    flat = np.array((0.0, 1.0, 1.0)) / np.sqrt(2.0)
    file = write(tmp_path / "mirrored.glb", (corners, RED), normals=np.tile(flat, (3, 1)), node={"scale": [-1.0, 2.0, 1.0]})
    mesh = mesh_of(text_of(mesh_at(file)))
    p, n = mesh[:, :3], mesh[0, 3:6]
    outward = np.cross(p[1] - p[0], p[2] - p[0])
    np.testing.assert_allclose(n, outward / np.linalg.norm(outward), atol=1e-6)


def test_pictures_are_ignored_with_one_note(tmp_path: Path) -> None:
    file = write(
        tmp_path / "painted.glb", (block((0.0, 0.0, 0.0), (1.0, 1.0, 1.0)), PICTURE), (block((1.0, 0.0, 0.0), (2.0, 1.0, 1.0)), PICTURE)
    )
    with pytest.warns(MeshTextureWarning, match="pictures of materials are ignored") as notes:
        mesh = mesh_at(file)
    assert len(notes) == 1
    np.testing.assert_allclose(mesh_of(text_of(mesh))[:, 6:9], 1.0)


@pytest.mark.parametrize(
    ("corners", "message"),
    [
        (np.zeros((0, 3)), "no triangles"),
        (np.zeros((3 * MAX_TRIANGLES + 3, 3)), f"{MAX_TRIANGLES + 1} triangles"),
        (np.zeros((3, 3)), "1 triangles without area"),
        (block((0.0, 0.0, 0.0), (4500.0, 1.0, 1.0)), "glTF lengths are meters"),
        (np.full((3, 3), np.nan), "finite"),
    ],
    ids=["empty", "many", "flat", "large", "nan"],
)
def test_an_unusable_mesh_is_one_error(tmp_path: Path, corners: np.ndarray, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        mesh_at(write(tmp_path / "bad.glb", (corners, RED)))


@pytest.mark.parametrize("name", ["missing.glb", "own.yaml", "damaged.glb"])
def test_check_reports_an_unusable_file_in_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str) -> None:
    (tmp_path / "damaged.glb").write_bytes(b"glTF\x02\x00")
    (tmp_path / "own.yaml").write_text(f"base: sedan\nname: own\nbody: {{mesh: {name}}}\n")
    assert main(["check", str(tmp_path / "own.yaml")]) == 2
    out = capsys.readouterr()
    errors = [line for line in (out.out + out.err).splitlines() if "expected" in line]
    assert len(errors) == 1 and (name == "damaged.glb" or "own.yaml:3: body.mesh" in errors[0])


def test_a_damaged_text_in_a_geometry_is_an_error() -> None:
    for text in ("no base 64", "AAAA"):
        with pytest.raises(ConfigError, match="mesh"):
            checked_geometry(geometry() | {"mesh": text})


def test_the_mesh_of_a_vehicle_file_is_in_the_picture(tmp_path: Path, hull: Path) -> None:
    (tmp_path / "own.yaml").write_text("base: hmmwv\nname: own\nbody: {mesh: hull.glb}\n")
    shown = view_geometry(load_vehicle(str(tmp_path / "own.yaml")))
    assert len(body_of(checked_geometry(shown)).shell) == 36
    reds = []
    for one in (shown, geometry()):
        try:
            view = Offscreen(320, 180, hilly_terrain(), one, samples=1)
        except DeviceError as error:
            pytest.skip(str(error))
        view.camera = "orbit"
        image = view.render(readout())[..., :3].astype(float)
        view.close()
        reds.append(int(((image[..., 0] > 60.0) & (image[..., 0] > 3.0 * image[..., 1])).sum()))
    assert reds[0] > 300 and reds[1] < 30


def test_an_object_has_the_base_colors_of_its_file(tmp_path: Path) -> None:
    blue = {"pbrMetallicRoughness": {"baseColorFactor": [0.0, 0.0, 0.5, 1.0]}}
    write(
        tmp_path / "hut.glb",
        (block((-1.0, -1.0, 0.0), (1.0, 1.0, 2.0)), RED),
        (block((-1.0, -1.0, 2.0), (1.0, 1.0, 3.0)), blue),
        (block((3.0, 0.0, 0.0), (4.0, 1.0, 1.0)), PICTURE),
    )
    mesh = read_mesh("hut.glb", str(tmp_path / "world.yaml"), "file", tmp_path, 1.0)
    assert isinstance(mesh, PaintedMesh)
    z = mesh.triangles[:, :, 2].mean(axis=1)
    painted = mesh.triangles[:, :, 0].mean(axis=1) < 2.0
    np.testing.assert_allclose(
        mesh.colors[painted & (z > 2.01)], np.tile((0.0, 0.0, 0.735357), (np.sum(painted & (z > 2.01)), 1)), atol=1e-5
    )
    np.testing.assert_allclose(mesh.colors[painted & (z < 1.99)], np.tile((1.0, 0.0, 0.0), (np.sum(painted & (z < 1.99)), 1)), atol=1e-5)
    assert np.isnan(mesh.colors[~painted]).all()  # a picture has no single color: that of the object
    sections = [{"shape": "mesh", "file": "hut.glb", "position": [20.0 + 5.0 * k, 4.0]} for k in range(2)]
    ground = load_terrain({"type": "flat", "objects": sections}, str(tmp_path / "world.yaml"), tmp_path, {})
    data = make_object_data(ground.objects)
    assert len(np.unique(data.vertices[:, 6])) == 3 and (data.mesh == 0).all()
