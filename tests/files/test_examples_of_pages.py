"""Are the example files of the how-to pages valid?"""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import yaml

from simulator.catalog.command import main_check

ROOT = Path(__file__).parents[2]

EXAMPLES = (
    ("own_vehicle", "loaded.yaml", "vehicles"),
    ("own_vehicle", "free_column.yaml", "vehicles"),
    ("own_soil", "wet_clay.yaml", "soils"),
    ("own_soil", "wet_field.yaml", "terrains"),
    ("own_maneuver", "slalom.yaml", "maneuvers"),
    ("courses", "my_course.yaml", "maneuvers"),
    ("own_device", "my_wheel.yaml", "devices"),
)
"""Page, file that the first line of its example names, kind."""


def examples_of(page: str) -> dict[str, str]:
    """Contents by the names in their first lines."""
    found = re.findall(r"```yaml\n(# (\S+\.yaml)\n.*?)```", (ROOT / "docs" / f"{page}.md").read_text(encoding="utf-8"), re.DOTALL)
    return {name: content for content, name in found}


@pytest.mark.parametrize(("page", "name", "kind"), EXAMPLES)
def test_the_example_of_a_page_is_a_good_file(page, name, kind, tmp_path, capsys):
    for other, content in examples_of(page).items():
        (tmp_path / other).write_text(content, encoding="utf-8")
    code = main_check([str(tmp_path / name)], None)
    out, err = capsys.readouterr()
    assert (code, err) == (0, "")
    assert out.endswith(f": good ({kind})\n")


def test_the_third_axle_of_a_base_makes_a_good_file(tmp_path, capsys):
    """Of own_vehicle.md, with the rear axle of hmmwv.yaml where the page says so."""
    page = (ROOT / "docs" / "own_vehicle.md").read_text(encoding="utf-8")
    whole = (ROOT / "configs" / "vehicles" / "hmmwv.yaml").read_text(encoding="utf-8")
    rear = whole.partition("\n  rear:\n")[2].partition("\n\nsteering:")[0].partition("\n")[2]
    (based,) = re.findall(r"^```\n(base: hmmwv\n.*?)^```$", page, re.MULTILINE | re.DOTALL)
    based, places = re.subn(r"^    \.\.\..*$", lambda _: rear, based, flags=re.MULTILINE)
    assert places == 1
    content = yaml.safe_load(based)
    for axle in ("front", "middle", "rear"):  # setting the tie rods would compile the physics for six wheels
        content["axles"].setdefault(axle, {})["alignment"] = None
    (tmp_path / "six_wheels.yaml").write_text(yaml.safe_dump(content, sort_keys=False), encoding="utf-8")
    (tmp_path / "six_wheel_drive.yaml").write_text(examples_of("own_vehicle")["six_wheel_drive.yaml"], encoding="utf-8")
    code = main_check([str(tmp_path / "six_wheels.yaml")], "vehicles")
    assert (code, capsys.readouterr().err) == (0, "")
