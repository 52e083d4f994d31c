"""`jounce import urdf FILE --out DIR`: a mechanism file from URDF or URDF+."""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path
from typing import Any

import yaml

from simulator.base.console import print_line
from simulator.base.inputfile import read_any_text
from simulator.base.json_output import json_text
from simulator.base.xml_file import XmlElement, parse_xml
from simulator.builder.builder import load_mechanism
from simulator.imports.result import Losses, check_result, comments, file_name, write_result
from simulator.imports.urdf.mechanism import mechanism_content
from vehicles.multibody.description.urdf import mechanism_from_urdf

EXPECTED = "a URDF file"
MAX_BYTES = 16 << 20
UNUSED = {
    "visual": "shape for drawing",
    "collision": "shape for contacts",
    "limit": "limits of a joint",
    "calibration": "calibration of a joint",
    "safety_controller": "safety controller",
    "transmission": "transmission of a motor",
    "gazebo": "section for Gazebo",
    "sensor": "sensor",
    "material": "color",
    "ros2_control": "section for ros2_control",
}
"""Elements without counterpart."""


def main_urdf(arguments: Any) -> int:
    """Run the import and return 0. Raises ConfigError: an unusable file; OutputError: a file that exists or cannot be written."""
    path, losses = Path(arguments.file), Losses()
    text = read_any_text(path, EXPECTED, MAX_BYTES)
    mechanism = mechanism_from_urdf(text, path)
    robot = parse_xml(text, path, EXPECTED)
    damping = _damping(robot, losses)
    for tag, words in UNUSED.items():
        for element in robot.all(f".//{tag}"):
            losses.add(words, element.line)
    content = mechanism_content(mechanism, damping)
    head = [
        f"Imported by `jounce import urdf {path.name}`: robot {mechanism.name!r}. `world` is its root link.",
        f"Source: {path.name}, SHA-256 {sha256(path.read_bytes()).hexdigest()}",
        "World coordinates at zero joint coordinates; the coordinates of the joints are those of the source.",
        *(["Without counterpart:", *(f"  {line}" for line in losses.lines())] if losses.counts else []),
    ]
    written = comments(head) + yaml.safe_dump(content, sort_keys=False, allow_unicode=True, width=130, default_flow_style=None)
    files = {f"{file_name(path.stem)}.yaml": written}
    check_result(files, load_mechanism, path, "a mechanism with usable values")
    file = write_result(Path(arguments.out), files, arguments.overwrite)[0]
    report = {
        "mechanism": str(file),
        **{key: len(content.get(key, ())) for key in ("bodies", "joints", "loops", "couplings")},
        "losses": losses.lines(),
    }
    if arguments.json:
        print_line(json_text(report))
        return 0
    counts = ", ".join(f"{report[key]} {key}" for key in ("bodies", "joints", "loops", "couplings"))
    lost = ["  without counterpart:", *(f"    {line}" for line in losses.lines())] if losses.counts else []
    print_line("\n".join([str(file), f"  {counts}", *lost]))
    return 0


def _damping(robot: XmlElement, losses: Losses) -> dict[str, float]:
    """Return the viscous damping of revolute and prismatic joints by name [N m s/rad, N s/m]."""
    damping = {}
    for joint in robot.all("joint"):
        for dynamics in joint.all("dynamics"):
            if dynamics.number("friction", 0.0):
                losses.add("dry friction of a joint", dynamics.line)
            value = dynamics.number("damping", 0.0, 0.0)
            if value and joint.get("type") in ("revolute", "continuous", "prismatic"):
                damping[joint.word("name")] = value
    return damping
