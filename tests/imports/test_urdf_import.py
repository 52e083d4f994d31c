"""Does a mechanism file from URDF move like its source, and does it name what it lost?"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import yaml

from simulator.base.yaml_reader import read_yaml
from simulator.cli.main import main
from vehicles.multibody.description.mechanism_file import mechanism_from_mapping
from vehicles.multibody.description.urdf import mechanism_from_urdf
from vehicles.multibody.formulations.kinds import make_formulation
from vehicles.multibody.tree.system import build_system

DATA = Path(__file__).parents[1] / "data" / "urdfplus"
LINKS = "".join(
    f'<link name="{name}"><inertial><origin xyz="0.1 0.02 0" rpy="0.3 0 0.4"/><mass value="{mass}"/>'
    f'<inertia ixx="0.01" iyy="0.03" izz="0.03" ixy="0.001" ixz="0" iyz="0.002"/></inertial><visual/></link>'
    for name, mass in (("a", 2.0), ("b", 1.0), ("c", 0.5), ("d", 0.3))
)
ARM = f"""<robot name="arm"><link name="base"/>{LINKS}
<joint name="j1" type="revolute"><parent link="base"/><child link="a"/><origin xyz="0 0 1" rpy="0.3 0 0.2"/><axis xyz="0 1 0"/>
<limit lower="-1" upper="1" effort="1" velocity="1"/><dynamics damping="0.5" friction="0.1"/></joint>
<joint name="j2" type="prismatic"><parent link="a"/><child link="b"/><origin xyz="0.4 0 0" rpy="0 0.5 0"/><axis xyz="1 0 0"/></joint>
<joint name="j3" type="continuous"><parent link="a"/><child link="c"/><origin xyz="0.3 0.1 0" rpy="0 0 1.2"/><axis xyz="0 0 1"/>
<mimic joint="j1" multiplier="2"/></joint>
<joint name="j4" type="fixed"><parent link="b"/><child link="d"/><origin xyz="0 0 0.3" rpy="1 0 0"/></joint></robot>"""


@pytest.mark.parametrize("name", ["arm", "implicit_depth5_loop_size5"])
def test_it_moves_like_its_source(name: str, tmp_path: Path) -> None:
    """Accelerations at a random position and rate of the independent joints; the damping of the source is in the file alone."""
    source = tmp_path / f"{name}.urdf"
    source.write_text(ARM if name == "arm" else (DATA / source.name).read_text())
    assert main(["import", "urdf", str(source), "--out", str(tmp_path / "out")]) == 0
    result = tmp_path / "out" / f"{name}.yaml"
    assert main(["check", str(result)]) == 0
    content = read_yaml(result)
    content.pop("joint_springs", None)
    found = []
    for mechanism in (mechanism_from_urdf(source.read_text(), source), mechanism_from_mapping(content, result)[0]):
        system = build_system(replace(mechanism, gravity=np.array([2.0, -3.0, -9.0])))
        engine = make_formulation("ta", system)
        random = np.random.default_rng(2)
        q, v = system.neutral(), np.zeros(system.n_v)
        if name == "arm":
            q[:], v[:] = random.uniform(-0.5, 0.5, len(q)), random.uniform(-1.0, 1.0, len(v))
            at, rate = system.joint_q, system.joint_v
            q[at["j3"]], v[rate["j3"]] = 2.0 * q[at["j1"]], 2.0 * v[rate["j1"]]
        found.append(engine.accelerations(q, v))
    assert np.abs(found[0]).max() > 0.1
    np.testing.assert_allclose(found[1], found[0], rtol=1e-9, atol=1e-9)


def test_the_report_names_what_is_lost(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    source = tmp_path / "arm.urdf"
    source.write_text(ARM)
    assert main(["import", "urdf", str(source), "--out", str(tmp_path / "out")]) == 0
    text = (tmp_path / "out" / "arm.yaml").read_text()
    for words in ("4 x shape for drawing", "limits of a joint (line 3)", "dry friction of a joint (line 3)", "SHA-256"):
        assert words in text
    assert yaml.safe_load(text)["joint_springs"] == {"j1": {"rate": 0.0, "damping": 0.5}}
    capfd.readouterr()
    assert main(["import", "urdf", str(source), "--out", str(tmp_path / "out")]) == 2
    assert "--overwrite" in capfd.readouterr().err


def test_names_of_the_file_stay_texts(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    evil = "a: [&#10;evil: 1&#13;#&#x85;&#x2028;&#x7f;&quot;'"
    source = tmp_path / "arm.urdf"
    source.write_text(ARM.replace('name="arm"', f'name="{evil}"'))
    capfd.readouterr()
    assert main(["import", "urdf", str(source), "--out", str(tmp_path / "out")]) == 0
    text = (tmp_path / "out" / "arm.yaml").read_text(encoding="utf-8")
    assert all(line.isprintable() for shown in (text, capfd.readouterr().out) for line in shown.split("\n"))
    assert "evil" not in yaml.safe_load(text)
    source.write_text(ARM.replace('"j2"', f'"{evil}"'))
    capfd.readouterr()
    code = main(["import", "urdf", str(source), "--out", str(tmp_path / "names")])
    assert code == 0 or (code == 2 and len(capfd.readouterr().err.strip().split("\n")) == 1)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "not XML"),
        (ARM[:400], "not XML"),
        ('<!DOCTYPE robot [<!ENTITY a "b">]><robot name="&a;"/>', "document type"),
        (ARM.replace('damping="0.5"', 'damping="-1"'), "damping"),
        (ARM.replace('<mass value="2.0"/>', '<mass value="inf"/>'), "mass"),
        (ARM.replace('<child link="c"/>', '<child link="a"/>'), "arm.urdf"),
        (ARM.replace('<parent link="base"/>', '<parent link="b"/>'), "arm.urdf"),
        (ARM.replace('type="prismatic"', 'type="planar"'), "planar"),
    ],
)
def test_a_hostile_file_is_one_line_and_leaves_nothing(text: str, words: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    source = tmp_path / "arm.urdf"
    source.write_text(text)
    capfd.readouterr()
    assert main(["import", "urdf", str(source), "--out", str(tmp_path / "out")]) == 2
    lines = capfd.readouterr().err.strip().splitlines()
    assert len(lines) == 1, lines
    assert words in lines[0]
    assert not (tmp_path / "out").exists()
