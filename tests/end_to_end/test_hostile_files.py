"""Malicious and corrupt files: alias bombs, wrong headers, pipes, devices, excessive sizes.

Each is rejected in one line, quickly, and with little memory.
"""

import gzip
import io
import json
import os
import shutil
import stat
import struct
import time
import zipfile
import zlib
from pathlib import Path

import numpy as np
import pytest
import yaml
from program import ROOT, call, finish, refused, start

from simulator.base.errors import ConfigError
from simulator.base.inputfile import checked_size
from simulator.base.npy_reader import read_json, read_npy, read_npz
from simulator.base.records import numbers
from simulator.base.yaml_loader import MAX_VALUES
from simulator.base.yaml_reader import read_yaml
from simulator.builder.builder import find_config, load_mechanism
from simulator.validation.reference.mechanism_rows import compare_rows
from simulator.validation.reference.recorded_drive import Recording
from terrain.readers.kinds import read_heights
from terrain.readers.request import ReadRequest

STATES = ROOT / "tests/data/hmmwv_accelerations/quarter.npz"
MODEL = ROOT / "tests/data/hmmwv_accelerations/hmmwv_model.yaml"
SOON = 20.0
"""s of processor time. Generous: beside two busy processes, most of it imports and PyYAML."""

posix = pytest.mark.skipif(os.name != "posix", reason="no such files here")


def lists(levels, width):
    return "".join(f"a{k}: &a{k} [{', '.join([f'*a{k - 1}'] * width)}]\n" if k else "a0: &a0 [1, 2]\n" for k in range(levels))


def merges(levels, width):
    """Each level merges the one below several times: PyYAML copies their keys one by one."""
    first = "a0: &a0 {x: 1}\n"
    return first + "".join(f"a{k}: &a{k} {{<<: [{', '.join([f'*a{k - 1}'] * width)}]}}\n" for k in range(1, levels))


BOMBS = {
    "lists of lists": lists(30, 10),
    "a long way down": lists(200, 1),
    "merged mappings": merges(30, 10),
    "mappings of mappings": "a0: &a0 {x: 1}\n" + "".join(f"a{k}: &a{k} {{p: *a{k - 1}, q: *a{k - 1}}}\n" for k in range(1, 60)),
    "an anchor in itself": "a: &a [1, *a]\n",
    "an anchor in itself, further down": "a: &a {b: [1, {c: *a}]}\n",
    "an anchor merged into itself": "a: &a {<<: *a, b: 1}\n",
    "deep lists": "a: " + "[" * 500 + "]" * 500 + "\n",
    "deep mappings": "".join(" " * k + "a:\n" for k in range(300)),
    "many values": "a: [" + "1, " * (MAX_VALUES + 10) + "1]\n",
    "a number in base 60": "a: 1" + ":1" * 200_000 + "\n",
    "a long number": "a: 0x" + "f" * 100_000 + "\n",
}


@pytest.mark.parametrize("kind", BOMBS)
def test_bombs_are_refused_soon(kind, tmp_path):
    file = tmp_path / "bomb.yaml"
    file.write_text(BOMBS[kind])
    began = time.process_time()
    with pytest.raises(ConfigError, match=r"^\S*bomb\.yaml(:\d+)?: (?!invalid).*; expected well-formed YAML$") as caught:
        read_yaml(file)
    assert time.process_time() - began < SOON
    assert len(str(caught.value)) < 500


def test_what_people_write_with_anchors_is_read(tmp_path):
    file = tmp_path / "good.yaml"
    file.write_text("base: &b {x: 1, y: [1, 2]}\nmore: {<<: *b, z: 3}\nagain: [*b, *b]\n")
    assert read_yaml(file)["more"] == {"x": 1, "y": [1, 2], "z": 3}


@pytest.mark.parametrize("tag", ['!!int ""', '!!float ""', "!!bool maybe", "!!timestamp soon", "!!set [1]", "!!omap {a: 1}", "!!map 3"])
def test_tags_that_do_not_fit(tag, tmp_path):
    file = tmp_path / "tag.yaml"
    file.write_text(f"a: {tag}\n")
    with pytest.raises(ConfigError):
        read_yaml(file)


def nested(depth):
    value = [1]
    for _ in range(depth):
        value = [value, value]
    return value


def test_a_message_formats_only_what_it_shows():
    endless = [1]
    endless.append(endless)
    for value in (nested(60), endless, {"a": endless}, [0] * 10**7, "x" * 10**7, 1 << 10**6, np.zeros(10**6)):
        began = time.process_time()
        text = str(ConfigError("f", "k", value, "a number"))
        assert len(text) < 200
        assert time.process_time() - began < 2.0
    assert (
        str(ConfigError("f", "k", {"a": (1,), "b": [None, 2.5, "x"]}, "y"))
        == "f: k: invalid value; expected y; got {'a': (1,), 'b': [None, 2.5, 'x']}"
    )


def test_a_number_too_long_to_print(tmp_path):
    file = tmp_path / "long.yaml"
    file.write_text("a: 0x" + "f" * 15_000 + "\n")
    with pytest.raises(ConfigError, match="an integer of 60000 bits"):
        numbers(read_yaml(file)["a"], (), "f", "a")


def npy(descr, shape, data=b"", version=(1, 0)):
    header = f"{{'descr': {descr!r}, 'fortran_order': False, 'shape': {shape}, }}".encode()
    header += b" " * (-(len(header) + 11) % 64) + b"\n"
    return b"\x93NUMPY" + bytes(version) + struct.pack("<H", len(header)) + header + data


LIARS = {
    "petabytes": npy("<f8", (10**15,), b"\0" * 64),
    "petabytes in two": npy("<f8", (2**40, 2**40), b"\0" * 64),
    "overflow": npy("<f8", (2**63, 8), b"\0" * 64),
    "negative": npy("<f8", (-1, 4), b"\0" * 64),
    "objects": npy("|O", (4,), b"\0" * 64),
    "records": npy([("a", "<f8")], (4,), b"\0" * 64),
    "cut short": npy("<f8", (4, 4), b"\0" * 100),
    "nothing behind the header": npy("<f8", (4, 4)),
    "code in the header": npy("__import__('os').getcwd()", (4,), b"\0" * 64),
    "another version": npy("<f8", (4, 4), b"\0" * 128, (9, 0)),
    "half a header": npy("<f8", (4, 4))[:40],
    "no header": b"\x93NUMPY",
    "empty": b"",
    "text": b"1 2 3\n",
}


@pytest.mark.parametrize("lie", LIARS)
def test_arrays_whose_headers_lie(lie, tmp_path):
    (tmp_path / "a.npy").write_bytes(LIARS[lie])
    with zipfile.ZipFile(tmp_path / "a.npz", "w") as archive:
        archive.writestr("theta.npy", LIARS[lie])
    for read, name in ((read_npy, "a.npy"), (read_npz, "a.npz")):
        with pytest.raises(ConfigError, match=name.replace(".", r"\.")):
            read(tmp_path / name, "arrays")
    with pytest.raises(ConfigError):
        read_heightmap(tmp_path / "a.npy")


def test_arrays_are_read_as_numpy_writes_them(tmp_path):
    rng = np.random.default_rng(3)
    arrays = {
        "a": rng.normal(size=(3, 4)), "b": np.asfortranarray(rng.normal(size=(3, 4))), "c": np.array(["FL", "RR"]), "d": np.array(2.5),
        "e": np.zeros((0, 3)), "f": np.arange(5, dtype=np.uint8), "g": rng.normal(size=7).astype(">f4"), "h": np.array([b"x"]),
    }  # fmt: skip
    for save in (np.savez, np.savez_compressed):
        save(tmp_path / "a.npz", **arrays)
        found = read_npz(tmp_path / "a.npz", "arrays")
        assert found.keys() == arrays.keys()
        for name, array in arrays.items():
            np.testing.assert_array_equal(found[name], array)
            assert found[name].shape == array.shape


def test_damaged_bytes_of_an_archive_are_called_damaged(tmp_path):
    np.savez_compressed(tmp_path / "a.npz", a=np.arange(4000.0))
    whole = (tmp_path / "a.npz").read_bytes()
    said = set()
    for n in range(60, len(whole) - 150, 37):
        (tmp_path / "a.npz").write_bytes(whole[:n] + bytes([whole[n] ^ 0xFF]) + whole[n + 1 :])
        with pytest.raises(ConfigError) as caught:
            read_npz(tmp_path / "a.npz", "arrays")
        assert "Error" not in str(caught.value) and "expected arrays" in str(caught.value)
        said.add("damaged or cut off" in str(caught.value))
    assert True in said


def test_an_archive_that_unpacks_to_too_much(tmp_path):
    with (
        zipfile.ZipFile(tmp_path / "bomb.npz", "w", zipfile.ZIP_DEFLATED) as archive,
        archive.open("a.npy", "w", force_zip64=True) as member,
    ):
        member.write(npy("<f8", (1 << 28,)))
        for _ in range(1100):
            member.write(b"\0" * (1 << 20))
    with pytest.raises(ConfigError, match="bytes unpacked"):
        read_npz(tmp_path / "bomb.npz", "arrays")


def test_a_recording_that_unpacks_to_too_much(tmp_path):
    packer = zlib.compressobj(9, zlib.DEFLATED, 31)
    with open(tmp_path / "bomb.csv.gz", "wb") as out:
        for _ in range(66):
            out.write(packer.compress(b"1,1\n" * (1 << 18)))
        out.write(packer.flush())
    with pytest.raises(ConfigError, match="unpacked"):
        Recording(str(tmp_path / "bomb.csv.gz"))


@posix
@pytest.mark.parametrize("suffix", [".yaml", ".npy", ".npz", ".csv", ".csv.gz", ".json", ".png", ".urdf"])
def test_fifty_gigabytes_of_nothing(suffix, tmp_path):
    file = tmp_path / f"large{suffix}"
    with file.open("wb") as stream:
        stream.write(npy("<f8", (80_000, 80_000)))
        stream.truncate(50 << 30)
    began = time.process_time()
    with pytest.raises(ConfigError, match="bytes"):
        reader(suffix)(file)
    assert time.process_time() - began < 2.0


def read_heightmap(file):
    """Heights of a file of which nothing is said."""
    return read_heights(ReadRequest(file, {}, file, assumed=[]))


def reader(suffix):
    """Who reads files of a kind."""
    return {
        ".yaml": read_yaml,
        ".npy": read_heightmap,
        ".png": read_heightmap,
        ".npz": lambda file: read_npz(file, "arrays"),
        ".csv": lambda file: compare_rows(str(file), None),
        ".csv.gz": lambda file: Recording(str(file)),
        ".json": lambda file: read_json(file, "a JSON file"),
        ".urdf": lambda file: load_mechanism(str(file)),
    }[suffix]


@posix
@pytest.mark.parametrize("suffix", [".yaml", ".npy", ".npz", ".csv", ".csv.gz", ".json", ".png", ".urdf"])
@pytest.mark.parametrize("kind", ["a folder", "a pipe", "a device", "nothing", "a loop", "a name too long", "a zero in the name"])
def test_what_is_no_file_is_not_opened(kind, suffix, tmp_path):
    file = tmp_path / f"x{suffix}"
    if kind == "a folder":
        file.mkdir()
    elif kind == "a pipe":
        os.mkfifo(file)
    elif kind == "a device":
        file.symlink_to("/dev/zero")
    elif kind == "a loop":
        file.symlink_to(file)
    elif kind == "a name too long":
        file = tmp_path / ("x" * 300 + suffix)
    elif kind == "a zero in the name":
        file = Path(f"{tmp_path}/a\0b{suffix}")
    with pytest.raises(ConfigError):
        reader(suffix)(file)


def changed_bytes(content, rng):
    """A file as a broken disk gives it back: bytes flipped, cut out, doubled, or the end missing."""
    content = bytearray(content)
    for _ in range(rng.integers(1, 4)):
        at = int(rng.integers(len(content))) if len(content) > 1 else 0
        match rng.integers(4):
            case 0:
                content[at : at + 1] = bytes([rng.integers(256)])
            case 1:
                content = content[:at]
            case 2:
                content[at : at + int(rng.integers(1, 40))] = b""
            case 3:
                content[at:at] = content[at : at + 30]
        if not content:
            break
    return bytes(content)


def whole(suffix):
    """A good file of every kind."""
    if suffix in (".npy", ".png"):
        heights, out = np.arange(30 * 20, dtype=np.uint16).reshape(30, 20), io.BytesIO()
        if suffix == ".npy":
            np.save(out, heights)
        else:
            from PIL import Image

            Image.fromarray(heights).save(out, format="PNG")
        return out.getvalue()
    if suffix == ".npz":
        return STATES.read_bytes()
    if suffix == ".csv":
        return b"\n".join((ROOT / "tests/data/mechanisms/landing_gear_sweep.csv").read_bytes().splitlines()[:6])
    if suffix == ".csv.gz":
        text = b"t,steering,throttle,braking\n" + b"".join(b"%.1f,0,0,0\n" % (0.1 * k) for k in range(20))
        return gzip.compress(text)
    if suffix == ".json":
        return json.dumps({"a": [1.5, "x", None, {"b": [[1], 2]}], "c": "\u00e4"}).encode()
    return (
        (ROOT / "configs/mechanisms/four_bar.yaml").read_bytes()
        if suffix == ".yaml"
        else next(ROOT.glob("tests/data/urdfplus/*.urdf")).read_bytes()
    )


@pytest.mark.parametrize("suffix", [".yaml", ".npy", ".npz", ".csv.gz", ".json", ".png", ".urdf"])
def test_broken_bytes_are_read_or_refused(suffix, tmp_path):
    rng, content, refusals = np.random.default_rng(20 + len(suffix)), whole(suffix), 0
    file = tmp_path / f"broken{suffix}"
    (tmp_path / "broken.json").write_text("{}")
    for _ in range(40 if suffix == ".yaml" else 300):
        file.write_bytes(changed_bytes(content, rng))
        try:
            reader(suffix)(file)
        except ConfigError as error:
            refusals += 1
            assert str(error).isprintable()
    assert refusals > 10


def test_json_deeper_than_anyone_reads(tmp_path):
    (tmp_path / "deep.json").write_text("[" * 200_000)
    with pytest.raises(ConfigError, match=r"deep\.json"):
        read_json(tmp_path / "deep.json", "a JSON file")


@posix
def test_names_that_are_not_utf_8(tmp_path):
    """The name is shown with what does not print written out; nothing falls over it, on a terminal of any encoding."""
    folder = os.fsencode(tmp_path)
    bad = os.path.join(folder, b"drive\xff\xfe.yaml")
    mapping = yaml.safe_load((ROOT / "configs/maneuvers/avtp_lane_change.yaml").read_text())
    Path(os.fsdecode(bad)).write_text(yaml.safe_dump({**mapping, "duration_s": 0.2, "limits": {}, "paint": "red"}))
    shutil.copy(ROOT / "configs/mechanisms/four_bar.yaml", os.fsdecode(os.path.join(folder, b"bar\xff.yaml")))
    for name, code in ((b"drive\xff\xfe.yaml", 2), (b"none\xff.yaml", 2), (b"bar\xff.yaml", 0)):
        verb = (
            ("mechanism", os.fsdecode(os.path.join(folder, name)), "--formulation", "ce")
            if code == 0
            else ("run", os.fsdecode(os.path.join(folder, name)))
        )
        found, out, err = finish(start(*verb, cwd=tmp_path, PYTHONIOENCODING="ascii:strict", PYTHONUTF8="0"))
        assert found == code, (out, err)
        assert "Traceback" not in err
        assert r"\udcff" in (out if code == 0 else err)


@posix
def test_every_command_refuses_a_device_at_once(tmp_path, capsys):
    zero = tmp_path / "zero.yaml"
    zero.symlink_to("/dev/zero")
    pipe = tmp_path / "pipe.yaml"
    os.mkfifo(pipe)
    for file in (zero, pipe, tmp_path):
        for command in (
            ("run", file), ("drive", "--no-view", "--vehicle", file), ("stream", "--washout", file), ("platform", "--platform", file),
            ("mechanism", file), ("mechanism", "four_bar", "--state", file),
            ("validate", "accelerations", STATES, "--model", file), ("validate", "accelerations", file, "--model", MODEL),
            ("validate", "kinematics", file), ("validate", "trajectory", file), ("validate", "mechanism", "four_bar", file),
        ):  # fmt: skip
            refused(call(capsys, *command))


def test_the_size_of_a_file_is_limited(tmp_path):
    (tmp_path / "a").write_bytes(b"12345")
    assert stat.S_ISREG(os.stat(tmp_path / "a").st_mode)
    assert checked_size(tmp_path / "a", "a file", 5) == 5
    with pytest.raises(ConfigError, match="expected a file of at most 4 bytes; got '5 bytes'"):
        checked_size(tmp_path / "a", "a file", 4)
    with pytest.raises(ConfigError):
        find_config("vehicles", str(tmp_path / "b.yaml"))
