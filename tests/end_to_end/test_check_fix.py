"""Does `jounce check --fix` replace every old key, value and name in a file, and nothing else?"""

import stat
import warnings

import pytest
import yaml
from program import call, refused

from simulator.base import renamed
from simulator.base.yaml_reader import read_yaml
from simulator.catalog.fix_command import edits_of, fix_file, fixed
from simulator.configuration.renamed_keys import replacements

SESSION = """\
# An old session.
base: rig_small   # hmmwv_hand in a comment stays
vehicle:
  base: "hmmwv_hand"
  tires: {base: tmeasy_hmmwv, combination: normalised, window_spacing: 0.05}   # two in one line
  drivetrain: {base: drivetrain_hand, drivetrain: {gearbox: {synchroniser: {torque: 41.0}}}}
  controllers:
  - &unit {type: abs, least_speed_kph: 5}
  - <<: *unit
    most_slip: 0.1
  - {type: mine, least_speed: 1}

terrain: {base: flat, features: [{type: kerb, points: [[0, 6], [40, 6]]}]}
washout:
    base: small_hexapod_adaptive
    cueing: {turn_start: [1.0, 1.0, 0.9], 'motion_least': [0.25, 0.4, 0.25]}
platform: {base: small_hexapod, cushion: 0.01}
outlets:
  feel: false
  others: []
  telemetry: {channels: [pitman_angle, "command_by_foot", command_clutch]}
"""

NEW_SESSION = """\
# An old session.
base: rig_small   # hmmwv_hand in a comment stays
vehicle:
  base: "hmmwv_manual"
  tires: {base: tmeasy_hmmwv, combination: normalized, contact_grid_spacing: 0.05}   # two in one line
  drivetrain: {base: drivetrain_manual, drivetrain: {gearbox: {synchronizer: {torque: 41.0}}}}
  controllers:
  - &unit {type: abs, min_speed_kph: 5}
  - <<: *unit
    max_slip: 0.1
  - {type: mine, least_speed: 1}

terrain: {base: flat, features: [{type: curb, points: [[0, 6], [40, 6]]}]}
washout:
    base: small_hexapod_adaptive
    cueing: {rotation_start: [1.0, 1.0, 0.9], 'motion_min': [0.25, 0.4, 0.25]}
platform: {base: small_hexapod, stroke_margin: 0.01}
outlets:
  force_feedback: false
  plugins: []
  telemetry: {channels: [steering_gear_angle, "command_manual_clutch", command_clutch]}
"""

SWEEP = """\
name: old
maneuver: iso_7401_step
vehicle: &car hmmwv_hand
set: {outlets.feel: false, vehicle.controllers: [{type: skyhook, least: 0.3}]}
vary:
  - grid:
      vehicle: [*car, sedan]
      platform.cushion: {first: 0.006, to: 0.01, step: 0.004}
      vehicle.tires.combination: [plain, 'normalised']
  - list:
      - {vehicle: hmmwv_hand, "washout.cueing.turn_start[0]": 0.9}
      - {vehicle: {base: hmmwv_hand, tires: {front: {base: tmeasy_hmmwv, combination: normalised}, rear: tmeasy_hmmwv}}}
  - list: {vehicle.drivetrain.gearbox.synchroniser.time: [0.1, 0.2]}
  - sample:
      count: 2
      of:
        vehicle.drivetrain: {distribution: choice, of: [drivetrain_hand, drivetrain]}
channels: [w_WB_B_z, pitman_angle]
"""

NEW_SWEEP = """\
name: old
maneuver: iso_7401_step
vehicle: &car hmmwv_manual
set: {outlets.force_feedback: false, vehicle.controllers: [{type: skyhook, min_ratio: 0.3}]}
vary:
  - grid:
      vehicle: [*car, sedan]
      platform.stroke_margin: {first: 0.006, to: 0.01, step: 0.004}
      vehicle.tires.combination: [plain, 'normalized']
  - list:
      - {vehicle: hmmwv_manual, "washout.cueing.rotation_start[0]": 0.9}
      - {vehicle: {base: hmmwv_manual, tires: {front: {base: tmeasy_hmmwv, combination: normalized}, rear: tmeasy_hmmwv}}}
  - list: {vehicle.drivetrain.gearbox.synchronizer.time: [0.1, 0.2]}
  - sample:
      count: 2
      of:
        vehicle.drivetrain: {distribution: choice, of: [drivetrain_manual, drivetrain]}
channels: [w_WB_B_z, steering_gear_angle]
"""

FIT = """\
name: old
vehicle: sedan_skyhook
parameters:
  margin: {key: [platform.cushion, washout.cueing.tilt_most], start: 1, least: 0, most: 2}
  ratio: {key: "vehicle.controllers[0].most", start: 1, least: 0.5, most: 2}
data:
  - {csv: a.csv, vehicle: hmmwv_hand, offset: {least_s: -1, most_s: 1}, set: {outlets.feel: no}, columns: {pitman_angle: A}}
channels: {pitman_angle_deg: {noise: 1}}
"""

NEW_FIT = """\
name: old
vehicle: sedan_skyhook
parameters:
  margin: {key: [platform.stroke_margin, washout.cueing.tilt_max], start: 1, min: 0, max: 2}
  ratio: {key: "vehicle.controllers[0].max_ratio", start: 1, min: 0.5, max: 2}
data:
  - {csv: a.csv, vehicle: hmmwv_manual, offset: {min_s: -1, max_s: 1}, set: {outlets.force_feedback: no}, columns: {steering_gear_angle: A}}
channels: {steering_gear_angle_deg: {noise: 1}}
"""

MANEUVER = """\
name: old
vehicle: hmmwv_hand
phases: [{name: a, within_s: 1, lasts_s: 2}]
pictures: [hand_wheel]
metrics: [{type: expression, name: a, of: "max(abs(pitman_angle)) + max(command_by_foot)"}]
limits: {turning_circle_kerb_left_m: {max: 10}}
"""

NEW_MANEUVER = """\
name: old
vehicle: hmmwv_manual
phases: [{name: a, timeout_s: 1, lasts_s: 2}]
plots: [hand_wheel]
metrics: [{type: expression, name: a, of: "max(abs(steering_gear_angle)) + max(command_manual_clutch)"}]
limits: {turning_circle_curb_left_m: {max: 10}}
"""


@pytest.mark.parametrize(
    ("kind", "old", "new"),
    [("sessions", SESSION, NEW_SESSION), ("sweeps", SWEEP, NEW_SWEEP), ("fits", FIT, NEW_FIT), ("maneuvers", MANEUVER, NEW_MANEUVER)],
)
@pytest.mark.parametrize("ends", ["\n", "\r\n"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_old_names_are_replaced_and_the_layout_stays(tmp_path, kind, old, new, ends, encoding):
    file = tmp_path / "old.yaml"
    file.write_bytes(old.replace("\n", ends).encode(encoding))
    edits = fix_file(file, kind)
    assert file.read_bytes() == new.replace("\n", ends).encode(encoding)
    assert [edit.line for edit in edits] == sorted(edit.line for edit in edits)
    assert not fix_file(file, kind)


def path_of(section):
    """A path that a pattern of the tables of old names fits."""
    return [{"**": "any", "*": 0 if n else "name"}.get(part, part) for n, part in enumerate(section)]


def nested(path, content):
    for part in reversed(path):
        content = [content] if part == 0 else {part: content}
    return content


@pytest.mark.parametrize("row", renamed.KEYS, ids=lambda row: f"{row.kind} {row.old}")
def test_every_old_key_is_replaced(tmp_path, row):
    types = {"type": row.types[0]} if row.types else {}
    text = yaml.safe_dump(nested(path_of(row.section), {**types, row.old: 1}))
    (edit,) = edits_of(text, tmp_path / "f.yaml", row.kind)
    assert (edit.old, edit.new) == (row.old, row.new)
    assert yaml.safe_load(fixed(text, [edit])) == nested(path_of(row.section), {**types, row.new: 1})


@pytest.mark.parametrize("row", renamed.VALUES, ids=lambda row: f"{row.kind} {row.old}")
def test_every_old_value_is_replaced(tmp_path, row):
    text = yaml.safe_dump(nested(path_of(row.section), {row.key: row.old}))
    (edit,) = edits_of(text, tmp_path / "f.yaml", row.kind)
    assert yaml.safe_load(fixed(text, [edit])) == nested(path_of(row.section), {row.key: row.new})


@pytest.mark.parametrize(("kind", "old"), renamed.FILES)
def test_a_shipped_file_has_its_new_name_unless_the_user_has_one_of_the_old(tmp_path, kind, old):
    file = tmp_path / "f.yaml"
    file.write_text(f"base: {old}\n")
    (tmp_path / f"{old}.yaml").write_text(f"base: {old}\n")
    assert not fix_file(file, kind)
    assert fix_file(tmp_path / f"{old}.yaml", kind), "a file does not mean itself"
    (tmp_path / f"{old}.yaml").unlink()
    assert fix_file(file, kind)
    assert read_yaml(file) == {"base": renamed.FILES[kind, old]}


def test_an_old_key_beside_the_new_one_stays(tmp_path):
    file = tmp_path / "f.yaml"
    file.write_text("cushion: 1\nstroke_margin: 2\n")
    assert not fix_file(file, "platforms")
    file.write_text("name: a\nset: {platform.cushion: 1, platform.stroke_margin: 2}\n")
    assert not fix_file(file, "sweeps")


def test_the_command_prints_file_line_old_and_new(tmp_path, capsys):
    old, new = tmp_path / "old.yaml", tmp_path / "new.yaml"
    old.write_text("base: small_hexapod\n# a remark\ncushion: 0.009\n")
    old.chmod(0o640)
    new.write_text("base: small_hexapod\nstroke_margin: 0.009\n")
    code, out, err = call(capsys, "check", "--fix", old, new)
    assert (code, err) == (0, "")
    assert out.splitlines() == [f"{old}:3: cushion -> stroke_margin", f"{new}: nothing to replace"]
    assert old.read_text() == "base: small_hexapod\n# a remark\nstroke_margin: 0.009\n"
    assert stat.S_IMODE(old.stat().st_mode) == 0o640
    assert sorted(path.name for path in tmp_path.iterdir()) == ["new.yaml", "old.yaml"]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert not list(replacements("platforms", read_yaml(old)))
    assert call(capsys, "check", old)[2] == ""


def test_a_link_stays_a_link(tmp_path):
    (tmp_path / "real").mkdir()
    (tmp_path / "real" / "p.yaml").write_text("cushion: 1\n")
    (tmp_path / "link.yaml").symlink_to(tmp_path / "real" / "p.yaml")
    assert fix_file(tmp_path / "link.yaml", "platforms")
    assert (tmp_path / "link.yaml").is_symlink()
    assert (tmp_path / "real" / "p.yaml").read_text() == "stroke_margin: 1\n"


@pytest.mark.parametrize("content", [b"cushion: [1\n", b"cushion: \xff\n", b"cushion: 1\ncushion: 2\n", b"a: &a [*a]\n"])
def test_a_file_that_cannot_be_read_is_one_line_and_stays_as_it_is(tmp_path, capsys, content):
    file, other = tmp_path / "f.yaml", tmp_path / "g.yaml"
    file.write_bytes(content)
    other.write_text("base: small_hexapod\ncushion: 1\n")
    said = refused(call(capsys, "check", "--fix", "--kind", "platforms", file, other))
    assert str(file) in said and len(said.splitlines()) == 1
    assert file.read_bytes() == content
    assert "stroke_margin" in other.read_text(), "the other files are replaced"


def test_a_file_that_is_not_yaml_has_nothing_to_replace(tmp_path, capsys):
    file = tmp_path / "m.urdf"
    file.write_text("<robot/>")
    assert call(capsys, "check", "--fix", file) == (0, f"{file}: nothing to replace\n", "")
