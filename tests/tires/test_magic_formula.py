"""Magic Formula: comparison with other programs, units, mounting on both sides, rolling and standstill."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from simulator.base.errors import ConfigError
from simulator.base.jit import kernel
from simulator.builder.builder import build_tire
from simulator.configuration.file_lookup import data_folder
from simulator.validation.reference.tire_rows import compare_tire
from vehicles.tires import steady_state as rig_of_tires
from vehicles.tires.magic_formula.formulas import magic_formula
from vehicles.tires.magic_formula.tir_file import parse_tir, read_tir
from vehicles.tires.magic_formula.tir_tire import magic_record
from vehicles.tires.steady_state import build_up, steady
from vehicles.tires.tire_file import tire

DATA = Path(__file__).resolve().parents[1] / "data" / "tires"
SHIPPED = data_folder("configs") / "tires"
G = 9.81

BOOK = """
[MODEL]
FITTYP = 61
[DIMENSION]
UNLOADED_RADIUS = 0.3135
[VERTICAL]
FNOMIN = 4000
VERTICAL_STIFFNESS = 2e5
[STRUCTURAL]
LONGITUDINAL_STIFFNESS = 4e5
LATERAL_STIFFNESS = 1e5
[COEFFICIENTS]
PCX1 = 1.6
PDX1 = 1
PDX2 = -0.1
PKX1 = 16
RBX1 = 8.3
RBX2 = 5
RCX1 = 0.9
PCY1 = 1.3
PDY1 = 1
PDY2 = -0.05
PKY1 = -15
PKY2 = 2
PKY4 = 2
PKY6 = -1
RBY1 = 4.9
RBY2 = 2.2
RCY1 = 1
QBZ1 = 10
QBZ9 = 10
QCZ1 = 1.1
QDZ1 = 0.12
QDZ8 = -0.05
"""
"""Nonzero coefficients of the book's tire 205/60 R15 [Pacejka 2012, appendix 3]."""


@pytest.mark.parametrize("file", [DATA / "synth_A_61_si.tir", DATA / "synth_B_52_si.tir", SHIPPED / "hmmwv_pac02.tir"])
def test_rows_of_other_programs(file: Path) -> None:
    found = compare_tire(str(DATA / "mf_shared.csv"), str(file))
    assert found.passed and found.states == 172, found.to_text()
    assert {"Fx", "Fy", "Mx", "My", "Mz", "Kxk", "Kya"} <= set(found.errors)
    assert any("172 of mfeval_61" in note for note in found.notes)


def test_rows_of_a_folder_report_skipped_rows() -> None:
    found = compare_tire(str(DATA / "mf_shared.csv"), str(DATA))
    assert found.passed and found.states == 344
    assert [note for note in found.notes if "mfeval_61" in note] == ["skipped: 172 rows of mfeval_61, file mfeval_61.tir not found"]


def test_relaxation_lengths_and_other_models() -> None:
    assert compare_tire(str(DATA / "relaxation_pac2002.csv"), str(SHIPPED / "hmmwv_pac02.tir")).max_error < 1e-5
    found = compare_tire(str(DATA / "tyres.csv"), str(DATA / "tyre_params.json"))
    assert found.passed and found.states == 156 and not found.notes
    assert found.errors["tm_hmmwv Mz"] < 1e-8 and found.errors["fi_hmmwv Fx"] < 1e-8


def test_the_books_tire() -> None:
    p = magic_record(parse_tir(BOOK, "book.tir"), "tangents")[0]

    def at(F_z: float, kappa: float, degrees: float) -> tuple[float, ...]:
        return magic_formula(p, F_z, kappa, math.radians(degrees), 0.0, 0.0, 16.7, 1.0)

    assert at(4000.0, 0.0, 0.0)[5:] == pytest.approx((64000.0, -48000.0))
    assert [at(4000.0, kappa, 0.0)[0] for kappa in (0.01, 0.05, 0.1, 0.2, 1.0)] == pytest.approx(
        [635.18, 2702.57, 3804.23, 3919.76, 2835.18], abs=0.01
    )
    pure = [at(4000.0, 0.0, degrees) for degrees in (1.0, 2.0, 4.0, 8.0, 12.0)]
    assert [F[1] for F in pure] == pytest.approx([-824.75, -1577.46, -2712.32, -3710.98, -3960.01], abs=0.01)
    assert [F[4] for F in pure] == pytest.approx([30.46, 55.30, 79.71, 69.08, 46.76], abs=0.3)  # the trail over tan or over the angle
    assert (at(2000.0, 0.05, 0.0)[0], at(6000.0, 0.0, 4.0)[1]) == pytest.approx((1370.56, -3461.53), abs=0.01)
    assert at(4000.0, 0.1, 4.0)[:2] == pytest.approx((3456.41, -2441.11), abs=0.01)


def in_units(text: str, **factors: float) -> str:
    """Return the text of a .tir file with the numbers of a dimension divided by a factor, as for other [UNITS]."""
    keys = {
        "length": ("UNLOADED_RADIUS", "WIDTH", "RIM_RADIUS", "RIM_WIDTH"), "force": ("FNOMIN", "FZMIN", "FZMAX"),
        "angle": ("ALPMIN", "ALPMAX", "CAMMIN", "CAMMAX"), "pressure": ("INFLPRES", "NOMPRES", "PRESMIN", "PRESMAX"),
        "speed": ("LONGVL", "VXLOW"), "stiffness": ("VERTICAL_STIFFNESS",), "damping": ("VERTICAL_DAMPING",),
    }  # fmt: skip
    of = {key: factors[dimension] for dimension, names in keys.items() for key in names}
    lines = []
    for line in text.splitlines():
        key, equals, value = line.partition("=")
        turned = equals and key.strip() in of
        lines.append(f"{key}= {float(value.partition('$')[0]) / of[key.strip()]!r} $ other units" if turned else line)
    return "\n".join(lines)


@pytest.mark.parametrize(("words", "factors"), [
    (
        {"LENGTH": "mm", "FORCE": "kN", "ANGLE": "deg", "TIME": "ms"},
        {"length": 1e-3, "force": 1e3, "angle": math.pi / 180, "speed": 1.0, "pressure": 1e9, "stiffness": 1e6, "damping": 1e3},
    ),
    (
        {"LENGTH": "'Inch'", "FORCE": "'pound_force'", "ANGLE": "DEGREES", "TIME": "hour", "PRESSURE": "bar", "VELOCITY": "kph"},
        {
            "length": 0.0254, "force": 4.4482216152605, "angle": math.pi / 180, "speed": 1 / 3.6, "pressure": 1e5,
            "stiffness": 4.4482216152605 / 0.0254, "damping": 4.4482216152605 / 0.0254 * 3600,
        },
    ),
])  # fmt: skip
def test_other_units_give_the_same_tire(tmp_path: Path, words: dict[str, str], factors: dict[str, float]) -> None:
    text = (DATA / "synth_A_61_si.tir").read_text()
    other = in_units(text, **factors)
    for line in [line for line in text.splitlines() if line.split("=")[0].strip() in ("LENGTH", "FORCE", "ANGLE", "MASS", "TIME")]:
        key = line.split("=")[0].strip()
        other = other.replace(line, f"{key} = {words[key]}" if key in words else line)
    extra = "\n".join(f"{key} = {word}" for key, word in words.items() if key in ("PRESSURE", "VELOCITY"))
    (tmp_path / "other.tir").write_text(other.replace("[MODEL]", f"{extra}\n[MODEL]"))
    ours, theirs = build_tire(str(DATA / "synth_A_61_si.tir")), build_tire(str(tmp_path / "other.tir"))
    for name in ours.shared.dtype.names:
        assert theirs.shared[0][name] == pytest.approx(ours.shared[0][name], rel=1e-12)
    for at in ((3000.0, 0.03, 0.05, 0.02), (6000.0, -0.2, -0.3, -0.05)):
        assert steady(theirs, *at)[0] == pytest.approx(steady(ours, *at)[0], rel=1e-12)


def test_the_other_side_is_the_mirror_image(tmp_path: Path) -> None:
    """Also: the file of a right tire, mounted on the right, equals the file of a left tire on the left."""
    left = build_tire(str(DATA / "synth_A_61_si.tir"))
    text = (DATA / "synth_A_61_si.tir").read_text().replace("= 'LEFT'", "= 'Right'")
    (tmp_path / "right.tir").write_text(text)
    right = build_tire(str(tmp_path / "right.tir"))
    kappa, alpha, camber = np.array([0.0, 0.04, -0.2]), np.array([0.0, 0.06, -0.1]), 0.03
    there = steady(left, 3000.0, kappa, alpha, camber, side=-1)
    assert there == pytest.approx(steady(left, 3000.0, kappa, -alpha, -camber) * [1.0, -1.0, -1.0, 1.0, -1.0], rel=1e-12)
    assert steady(left, 3000.0, side=-1)[0, 1] == pytest.approx(-steady(left, 3000.0)[0, 1]) and abs(steady(left, 3000.0)[0, 1]) > 10.0
    assert steady(right, 3000.0, kappa, alpha, camber, side=-1) == pytest.approx(steady(left, 3000.0, kappa, alpha, camber), rel=1e-12)


def test_steady_rolling_gives_the_formula_at_any_slip() -> None:
    tire_ = build_tire("magic_hmmwv")
    for at in ((8000.0, 0.3, 0.1, 0.05), (8000.0, -0.9, 0.0, 0.0), (3000.0, -0.05, -0.3, -0.1)):
        assert steady(tire_, *at)[0] == pytest.approx(magic_formula(tire_.own[0], *at, 8e5, 16.7, 1.0)[:5], rel=1e-9, abs=1e-6)


def test_forces_build_up_over_the_relaxation_length() -> None:
    tire_ = tire({"type": "magic_formula", "file": "hmmwv_pac02.tir", "relaxation": [0.4, 0.7]}, SHIPPED / "x.yaml")
    for axis, slip, length in ((0, {"kappa": 1e-4}, 0.4), (1, {"alpha": 1e-4}, 0.7)):
        way, forces = build_up(tire_, 8000.0, **slip)
        end, rest = steady(tire_, 8000.0, **slip)[0, axis], steady(tire_, 8000.0)[0, axis]
        assert forces[:, axis] == pytest.approx(rest + (end - rest) * (1.0 - np.exp(-way / length)), abs=2e-4 * abs(end - rest))


@kernel
def park(rig, mass, push_x, push_y, shake, h, steps, place):
    """Move a mass on a locked wheel of constant load, pushed by a force and shaken; `place` (2,) is updated, the speed is left in the input
    record."""
    k = rig.seen[0]
    for n in range(steps):
        rig_of_tires.roll(rig, h)
        force = shake * math.sin(0.1 * n)
        k["v_x"] += h * (rig.result[0]["F"][0] + push_x + force) / mass
        k["v_y"] += h * (rig.result[0]["F"][1] + push_y) / mass
        place[0] += h * k["v_x"]
        place[1] += h * k["v_y"]


@pytest.mark.parametrize("name", ["magic_hmmwv", "fiala_hmmwv", "computed_hmmwv"])
def test_a_parked_wheel_stands_on_a_grade_and_is_not_shaken_down_it(name: str) -> None:
    """30 % along and across, at rest to rounding after some seconds; shaken with a tenth of its weight the wheel returns to its
    position."""
    tire_ = build_tire(name)
    mass, push = 800.0, 800.0 * G * 0.2873
    for x, y in ((-push, 0.0), (0.0, push), (push, push)):
        tires, rig = rig_of_tires.tire_rig(tire_, 1)
        rig_of_tires.touch_rig(rig, np.array([mass * G, 0.0, 0.0, 0.0, 0.0, 0.8]))
        place = np.zeros(2)
        park(rig, mass, x, y, 0.0, 1e-3, 20000, place)
        rested = place.copy()
        park(rig, mass, x, y, 0.0, 1e-3, 60000, place)
        assert np.abs(place - rested).max() < 1e-8
        assert np.abs(place).max() < 0.06, "no further than the carcass gives way"
        park(rig, mass, x, y, 0.1 * mass * G, 1e-3, 6000, place)
        park(rig, mass, x, y, 0.0, 1e-3, 6000, place)
        assert np.abs(place - rested).max() < 1e-4
        del tires


@kernel
def turn(rig, rate, h, steps):
    """Turn the carrier of a wheel at standstill."""
    rig.seen[0]["turn_rate"] = rate
    for _ in range(steps):
        rig_of_tires.roll(rig, h)


@pytest.mark.parametrize("name", ["magic_hmmwv", "fiala_hmmwv", "computed_hmmwv"])
def test_a_parked_wheel_resists_being_turned_up_to_a_moment_and_keeps_some(name: str) -> None:
    """2400 N m/rad at first, at most F_peak sqrt(F_z / p) / 3; turned back slightly, the moment decreases with the same stiffness."""
    tire_ = build_tire(name)
    tires, rig = rig_of_tires.tire_rig(tire_, 1)
    rig_of_tires.touch_rig(rig, np.array([6500.0, 0.0, 0.0, 0.0, 0.0, 0.8]))
    turn(rig, 0.1, 1e-3, 10)
    assert rig.result[0]["M_z"] == pytest.approx(-2400.0 * 1e-3, rel=0.02)
    turn(rig, 0.1, 1e-3, 10000)
    most = -float(rig.result[0]["M_z"])
    assert 0.7 * 6500.0 * math.sqrt(6500.0 / 137900.0) / 3.0 < most < 1.05 * 6500.0 * math.sqrt(6500.0 / 137900.0) / 3.0
    turn(rig, 0.0, 1e-3, 5000)
    assert -rig.result[0]["M_z"] == pytest.approx(most, rel=1e-9)
    turn(rig, -0.1, 1e-3, 10)
    assert most + rig.result[0]["M_z"] == pytest.approx(2.0 * 2400.0 * 1e-3, rel=0.02)
    rig.seen[0]["v_x"], rig.seen[0]["spin"] = 5.0, 5.0 / rig.seen[0]["effective_radius"]
    turn(rig, 0.0, 1e-3, 1000)
    assert abs(rig.s.treads[0]["numbers"][2]) < 1e-9, "rolling lays the tread down straight"
    del tires


@pytest.mark.parametrize("name", ["magic_hmmwv", "fiala_hmmwv", "computed_hmmwv"])
def test_too_steep_a_grade_slides_and_a_locked_stop_ends_at_the_peak(name: str) -> None:
    tire_ = build_tire(name)
    tires, rig = rig_of_tires.tire_rig(tire_, 1)
    rig_of_tires.touch_rig(rig, np.array([8000.0, 8.0, 0.0, 1.0, 0.0, 0.8]))
    place = np.zeros(2)
    park(rig, 815.0, 0.0, 0.0, 0.0, 1e-3, 6000, place)
    assert place[0] > 3.0 and abs(rig.seen[0]["v_x"]) < 1e-3 and abs(rig.seen[0]["v_y"]) < 1e-3
    before = place[0]
    park(rig, 815.0, -9600.0, 0.0, 0.0, 1e-3, 2000, place)
    assert place[0] < before - 0.5, "1.2 times the load is more than any tire holds"
    del tires


def test_a_measured_table_gives_its_points_and_nothing_beyond_them() -> None:
    table, magic = build_tire("computed_hmmwv"), build_tire("magic_hmmwv")
    p = table.own[0]
    angles = p["slip_angles"][: p["counts"][2]]
    for n, load in enumerate(p["loads"][: p["counts"][0]]):
        F = steady(table, load, 0.0, angles, p["cambers"][1])
        assert F[:, 1] == pytest.approx(p["F_y"][n, 1, : len(angles)], abs=1e-6)
        assert F[:, 1] == pytest.approx(steady(magic, load, 0.0, angles, p["cambers"][1])[:, 1], abs=0.06), "which the formulas gave"
    between = steady(table, 7000.0, 0.0, np.linspace(-0.4, 0.4, 401))[:, 1]
    assert (np.diff(between) <= 1e-9).sum() > 300 and np.abs(between).max() <= np.abs(p["F_y"]).max()
    together = steady(table, 7000.0, 0.1, 0.1)[0]
    assert abs(together[0]) < abs(steady(table, 7000.0, 0.1)[0, 0]) and abs(together[1]) < abs(steady(table, 7000.0, 0.0, 0.1)[0, 1])


@pytest.mark.parametrize(("change", "words"), [
    (("FNOMIN                 = 4000", "FNOMIN = four"), r"x\.tir: VERTICAL\.FNOMIN: invalid value; expected a number; got 'four'"),
    (("FNOMIN                 = 4000", "$"), r"VERTICAL\.FNOMIN: missing; expected a number above 0"),
    (("VERTICAL_STIFFNESS     = 210000", "VERTICAL_STIFFNESS = -1"), r"VERTICAL\.VERTICAL_STIFFNESS: invalid value; expected a number above 0; got '-1'"),
    (("PKY1                   = -20.999", "PKY1 = 1,2"), r"LATERAL_COEFFICIENTS\.PKY1: invalid value; expected a number; got '1,2'"),
    (("LENGTH                 = 'meter'", "LENGTH = 'cubit'"), r"UNITS\.LENGTH: invalid value; expected one of meter.*; got 'cubit'"),
    (("FITTYP                 = 61", "FITTYP = 94"), r"MODEL\.FITTYP: invalid value; expected a Magic Formula: one of 5, 6.*; got '94'"),
    (("PDX1                   = 1.2897", "PDX1 = 1.2897\nPDX1 = 7"), r"LONGITUDINAL_COEFFICIENTS\.PDX1: invalid value; expected a unique key.*; got '7'"),
    (("[DIMENSION]", "[DIMENSION]\nthis is no key"), r"x\.tir:\d+: invalid value; expected KEY = value; got 'this is no key'"),
])  # fmt: skip
def test_a_malformed_file_names_section_and_key(tmp_path: Path, change: tuple[str, str], words: str) -> None:
    text = (DATA / "synth_A_61_si.tir").read_text()
    assert change[0] in text
    (tmp_path / "x.tir").write_text(text.replace(*change))
    with pytest.raises(ConfigError, match=words):
        build_tire(str(tmp_path / "x.tir"))


def test_oddities_of_the_format(tmp_path: Path) -> None:
    """CRLF line ends, a byte order mark, lower case, `!`, nested quotes, LFZ0 and LFZO, tables, Fortran exponents, no units."""
    plain = build_tire(str(DATA / "synth_B_52_si.tir"))
    text = (DATA / "synth_B_52_si.tir").read_text()
    odd = (
        text.replace("$", "!")
        .replace("LFZO  ", "lfz0  ")
        .replace("PKX1 ", "pkx1 ")
        .replace("4000 ", "4.0D+3 ")
        .replace("'PAC2002'", "PAC2002")
    )
    odd = odd.replace("[VERTICAL]", "[Vertical]").replace("[DIMENSION]", "[SHAPE]\n{radial width}\n 1.0 0.0\n 1.0 0.5\n[DIMENSION]")
    odd = odd.replace("[MDI_HEADER]", "[MDI_HEADER]\n(COMMENTS)\n{comment_string}\n'it is a tire $ of 5 % \"fun\"'\n")
    (tmp_path / "odd.tir").write_bytes(b"\xef\xbb\xbf" + odd.replace("\n", "\r\n").encode())
    found = build_tire(str(tmp_path / "odd.tir"))
    assert found.own.tobytes() == plain.own.tobytes() and found.shared.tobytes() == plain.shared.tobytes()
    assert found.own[0]["lfzo"] == 1.08 and found.own[0]["set"] == 52


def test_a_curve_of_deflection_and_load_defines_the_spring(tmp_path: Path) -> None:
    text = (DATA / "synth_A_61_si.tir").read_text().replace("LENGTH                 = 'meter'", "LENGTH = mm").replace("= 0.313 ", "= 313 ")
    rows = "\n".join(f" {d:g}  {0.15 * d * 1e3 + 0.002 * 1e3 * d * d:g}" for d in range(0, 60, 5))
    (tmp_path / "x.tir").write_text(text + f"\n[DEFLECTION_LOAD_CURVE]\n{{pen fz}}\n{rows}\n")
    shared = build_tire(str(tmp_path / "x.tir")).shared[0]
    assert (shared["stiffness"], shared["stiffness_growth"]) == pytest.approx((150e3, 2e6))


def test_pressure_is_a_number_of_the_tire() -> None:
    file = str(DATA / "synth_A_61_si.tir")
    soft, hard = (tire({"type": "magic_formula", "file": file, "pressure_psi": psi}, "t.yaml") for psi in (25.0, 45.0))
    assert soft.own[0]["p"] == pytest.approx(25.0 * 6894.757, rel=1e-6)
    assert abs(steady(soft, 4000.0, 0.0, 0.02)[0, 1]) != pytest.approx(abs(steady(hard, 4000.0, 0.0, 0.02)[0, 1]), rel=0.02)


CAMBERED = BOOK.replace("FITTYP = 61", "FITTYP = 6") + "PKY5 = 0.5\nPEY1 = -0.4\nPEY5 = 6\nRBY4 = 40\n"


def test_camber_terms_in_a_file_of_set_5_2_count_all_together() -> None:
    p = magic_record(parse_tir(CAMBERED, "cambered.tir"))[0]
    alpha, gamma, F_z = math.radians(2.0), math.radians(5.0), 4000.0
    K = -15.0 * F_z * math.sin(2.0 * math.atan(1.0 / (2.0 + 0.5 * gamma**2)))  # 4.E25 of Pacejka 2012, zero change of load
    E, B = -0.4 * (1.0 + 6.0 * gamma**2), K / (1.3 * F_z)  # 4.E24, 4.E26
    bent = B * alpha - E * (B * alpha - math.atan(B * alpha))
    F_y0 = F_z * math.sin(1.3 * math.atan(bent))
    assert magic_formula(p, F_z, 0.0, alpha, gamma, 0.0, 16.7, 1.0)[1] == pytest.approx(F_y0, rel=1e-9)
    B_k = (4.9 + 40.0 * gamma**2) * math.cos(math.atan(2.2 * alpha))  # the weight of a brake slip, with RBY4
    G = math.cos(math.atan(B_k * 0.05))
    assert magic_formula(p, F_z, 0.05, alpha, gamma, 0.0, 16.7, 1.0)[1] == pytest.approx(G * F_y0, rel=1e-9)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("PKY1 = -15", "PKY1 = 15", "COEFFICIENTS.PKY1: invalid value; expected a cornering stiffness below 0"),
        ("PKY2 = 2", "PKY2 = -2", "COEFFICIENTS.PKY1"),
        ("PKX1 = 16", "PKX1 = -16", "COEFFICIENTS.PKX1: invalid value; expected a number above 0"),
    ],
)
def test_a_stiffness_of_the_wrong_sign_is_rejected(old: str, new: str, said: str) -> None:
    with pytest.raises(ConfigError) as error:
        magic_record(parse_tir(BOOK.replace(old, new), "sae.tir"))
    assert said in str(error.value)


def test_files_of_other_programs_are_read(tmp_path: Path) -> None:
    """Rows without names of columns, blank values, an old encoding, and UTF-16."""
    text = (
        "! Rahmen für Größe\n"
        + BOOK
        + "[SHAPE]\n 1.00 0.00\n 0.90, 1.00\n[OPERATING_CONDITIONS]\nINFLPRES =   $ not measured\nNOMPRES = ''\n"
    )
    for encoding in ("utf-8", "utf-8-sig", "cp1252", "utf-16"):
        (tmp_path / "a.tir").write_bytes(text.encode(encoding))
        found = read_tir(tmp_path / "a.tir")
        assert found.tables["SHAPE"] == [["1.00", "0.00"], ["0.90", "1.00"]] and found.find("INFLPRES") is None
        assert magic_record(found)[0]["p0"] == 0.0
    with pytest.raises(ConfigError, match="FITTYP: missing"):
        magic_record(parse_tir(BOOK.replace("FITTYP = 61", "FITTYP ="), "a.tir"))
    with pytest.raises(ConfigError, match=r"UNITS\.LENGTH"):
        parse_tir("[UNITS]\nLENGTH =\n" + BOOK, "a.tir")


def test_the_maximum_load_of_a_file_ends_before_its_slip_stiffness() -> None:
    p = build_tire(str(SHIPPED / "hmmwv_pac02.tir"))
    own = p.own[0]
    df = float(p.shared[0]["load_max"]) / (own["lfzo"] * own["load"]) - 1.0
    assert p.shared[0]["load_max"] < 78750.0 and own["pkx1"] + own["pkx2"] * df > 0.05 * own["pkx1"]
    assert build_tire(str(DATA / "synth_A_61_si.tir")).shared[0]["load_max"] == 16000.0


def test_one_bad_file_of_a_folder_fails_and_the_others_are_compared(tmp_path: Path) -> None:
    for file in DATA.glob("*.tir"):
        (tmp_path / file.name).write_bytes(file.read_bytes())
    (tmp_path / "synth_A_61_si.tir").write_text("[MODEL]\nFITTYP = 99\n", encoding="utf-8")
    found = compare_tire(str(DATA / "mf_shared.csv"), str(tmp_path))
    assert not found.passed and found.errors["synth_B_52_si Fx"] < 1e-6 and "FITTYP" in " ".join(found.notes)


@pytest.mark.parametrize(("kappa", "alpha"), [(-0.05, 0.03), (-0.3, 0.15), (-0.8, 0.05), (0.1, -0.1)])
def test_the_friction_ellipse_couples_both_forces(kappa: float, alpha: float) -> None:
    """FE_METHOD: the equations of PAC2002 as other programs have them, with tan beta."""
    p = build_tire("magic_g275").own[0]
    F_z = 8e3
    forces = magic_formula(p, F_z, kappa, alpha, 0.0, 0.0, 16.7, 1.0)
    df = F_z / 16929.0 - 1.0
    F_x0 = magic_formula(p, F_z, kappa, _straight(F_z), 0.0, 0.0, 16.7, 1.0)[0]
    F_y0 = magic_formula(p, F_z, 0.0, alpha, 0.0, 0.0, 16.7, 1.0)[1]
    K_y = -1.4584e1 * 16929.0 * math.sin(2.0 * math.atan(F_z / (2.1214 * 16929.0)))
    S_V = F_z * (0.01392 - 0.011621 * df)
    beta = math.acos(abs(kappa) / math.hypot(kappa, math.sin(alpha + 4.7162e-3 + 9.7415e-5 * df + S_V / K_y)))
    mu_x, mu_y = abs(F_x0) / F_z, abs(F_y0 - S_V) / F_z
    most_x, most_y = 0.98412 - 0.043414 * df, 0.70977 - 0.14161 * df
    expected = F_x0 / mu_x / math.hypot(1.0 / mu_x, math.tan(beta) / most_y), F_y0 / mu_y * math.tan(beta)
    assert forces[0] == pytest.approx(expected[0], rel=1e-6)
    assert forces[1] == pytest.approx(expected[1] / math.hypot(1.0 / most_x, math.tan(beta) / mu_y), rel=1e-6)
    assert math.hypot(forces[0] / most_x, (forces[1] - S_V) / most_y) < 1.05 * F_z


def _straight(F_z: float) -> float:
    """Return the slip angle at which the shifted slip angle of the ellipse is zero."""
    df = F_z / 16929.0 - 1.0
    K_y = -1.4584e1 * 16929.0 * math.sin(2.0 * math.atan(F_z / (2.1214 * 16929.0)))
    return -(4.7162e-3 + 9.7415e-5 * df) - F_z * (0.01392 - 0.011621 * df) / K_y


def test_a_locked_wheel_of_the_military_tire_has_little_side_force() -> None:
    """Its file has no weights of combined slip for the side force: without the ellipse it would keep all of it."""
    tire_ = build_tire("magic_g275")
    free, locked = (abs(steady(tire_, 8e3, kappa, 0.1)[0, 1]) for kappa in (0.0, -0.8))
    assert locked < 0.2 * free
    assert tire_.own[0]["ellipse"] == 1 and build_tire("magic_hmmwv").own[0]["ellipse"] == 0
