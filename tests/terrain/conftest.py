from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from terrain.load_terrain import load_terrain

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="session")
def assets():
    return ROOT / "assets"


@pytest.fixture(scope="session")
def soils():
    """Return the contents of the shipped soil files by name."""
    return {file.stem: yaml.safe_load(file.read_text()) for file in (ROOT / "configs" / "soils").glob("*.yaml")}


@pytest.fixture(scope="session")
def terrain_mapping():
    """Return a function that reads a shipped terrain file."""
    return lambda name: yaml.safe_load((ROOT / "configs" / "terrains" / f"{name}.yaml").read_text())


@pytest.fixture(scope="session")
def jacksboro(terrain_mapping, soils, assets):
    return load_terrain(terrain_mapping("jacksboro"), "jacksboro.yaml", assets, soils)
