"""Are references valid: links of the pages, paths and functions of ARCHITECTURE.md, examples of the how-to pages, the list of keys?"""

from __future__ import annotations

import importlib
import re
from pathlib import Path

import pytest
import yaml

from simulator.base.machine import version
from simulator.catalog.command import main_check
from simulator.catalog.file_kinds import KINDS
from simulator.catalog.registries import REGISTRIES, registry_of
from simulator.cli.parser import parser_of
from simulator.view.instrument_layout import HELP

ROOT = Path(__file__).parents[2]
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
LINK = re.compile(r"\]\(([^)\s]+)\)")
CODE = re.compile(r"```.*?```", re.DOTALL)
QUOTED = re.compile(r"`([^`\n]+)`")
PLACE = re.compile(r"(?:simulator|vehicles|terrain|washout|configs|docs|examples|tests|assets)/[\w./]*")
FUNCTION = re.compile(r"[\w.]+\.register\w*")
ARCHITECTURE = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
WHERE = ARCHITECTURE.partition("## Extension points")[2]

EXAMPLES = (
    ("own_vehicle", "loaded.yaml", "vehicles"),
    ("own_vehicle", "free_column.yaml", "vehicles"),
    ("own_soil", "wet_clay.yaml", "soils"),
    ("own_soil", "wet_field.yaml", "terrains"),
    ("own_maneuver", "slalom.yaml", "maneuvers"),
    ("own_device", "my_wheel.yaml", "devices"),
)
"""Page, file that the first line of its example names, kind."""


def text_of(page: Path) -> str:
    return page.read_text(encoding="utf-8")


def anchors(page: Path) -> set[str]:
    """As GitHub makes them out of headings."""
    headings = re.findall(r"^#+ (.*)$", CODE.sub("", text_of(page)), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def examples_of(page: str) -> dict[str, str]:
    """Contents by the names in their first lines."""
    found = re.findall(r"```yaml\n(# (\S+\.yaml)\n.*?)```", text_of(ROOT / "docs" / f"{page}.md"), re.DOTALL)
    return {name: content for content, name in found}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_every_link_of_a_page_leads_somewhere(page):
    for link in LINK.findall(CODE.sub("", text_of(page))):
        if re.match(r"[a-z]+:", link):
            continue
        name, _, anchor = link.partition("#")
        place = (page.parent / name).resolve() if name else page
        assert place.exists(), link
        assert not anchor or anchor in anchors(place), link


def test_every_page_is_linked_by_another():
    linked = {(page.parent / link.partition("#")[0]).resolve() for page in PAGES for link in LINK.findall(CODE.sub("", text_of(page)))}
    assert {page for page in PAGES if page.parent != ROOT} <= linked


def test_every_place_that_the_architecture_names_is_there():
    named = [place for quoted in QUOTED.findall(ARCHITECTURE) for place in PLACE.findall(quoted)]
    assert len(named) > 100
    assert [place for place in named if not (ROOT / place).exists()] == []


def test_every_package_has_a_line_on_the_map():
    packages = {
        file.parent.relative_to(ROOT).as_posix() for package in ("simulator", "vehicles") for file in ROOT.glob(f"{package}/*/__init__.py")
    }
    assert [package for package in packages if f"`{package}/`" not in ARCHITECTURE] == []


def test_every_entry_of_the_plugin_table_is_a_function():
    functions = {path for quoted in QUOTED.findall(WHERE) for path in FUNCTION.findall(quoted)}
    for path in functions:
        module, _, name = path.rpartition(".")
        assert callable(getattr(importlib.import_module(module), name)), path
    assert len(functions) == len(REGISTRIES)


@pytest.mark.parametrize("registry", list(map(registry_of, REGISTRIES)), ids=list(REGISTRIES))
def test_every_registry_is_in_the_plugin_table_and_its_entry_points_in_a_page(registry):
    assert any(registry.group in text_of(page) for page in PAGES)


@pytest.mark.parametrize("kind", [*(kind.name for kind in KINDS), *REGISTRIES])
def test_every_kind_of_jounce_list_is_named_by_the_index(kind):
    assert f"`{kind}`" in text_of(ROOT / "docs" / "README.md")


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


def test_help_of_drive_lists_the_keys_of_the_window(capsys):
    with pytest.raises(SystemExit):
        parser_of("drive").parse_args(["drive", "--help"])
    said = capsys.readouterr().out
    assert [key for key, meaning in HELP if not re.search(rf"^  {re.escape(key)} +{re.escape(meaning)}$", said, re.MULTILINE)] == []


def test_the_changelog_begins_with_this_version():
    headings = re.findall(r"^## (.*)$", text_of(ROOT / "CHANGELOG.md"), re.MULTILINE)
    assert headings[0] in (version(), "Unreleased")
    assert version() in headings
