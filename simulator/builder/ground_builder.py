"""Construction of the ground of a configuration, with the soils that it names."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from simulator.base.errors import ConfigError
from simulator.base.suggestions import did_you_mean
from simulator.configuration.configuration import Configuration
from simulator.configuration.file_lookup import data_folder, find_config
from terrain.ground import Ground
from terrain.load_terrain import load_terrain
from terrain.soil import soil


def ground_of(configuration: Configuration) -> Ground:
    """Return the ground with the soils of the configuration."""
    with configuration.reading("terrain") as (content, file):
        soils = _Soils(configuration, file)
        ground = load_terrain(content, file, data_folder("assets"), soils)
    _check_soils_used(configuration)
    return ground


def _check_soils_used(configuration: Configuration) -> None:
    """Check that the ground uses all soils in the settings; an unused one is a typo. Raises ConfigError."""
    used = sorted(configuration.named.soils_used)
    for name in configuration.raw("soils") or {}:
        if name not in used and (given := configuration.origins.settings_below(("soils", name))):
            expected = f"a soil of this ground: {', '.join(used) or 'none'}{did_you_mean(name, used)}"
            raise given[-1].wrong(name, expected)


class _Soils(Mapping[str, Any]):
    """Contents of soils by the names in a terrain: those of the configuration, or of files found by name."""

    def __init__(self, configuration: Configuration, said_by: str) -> None:
        self.configuration, self.said_by = configuration, Path(said_by)

    def __getitem__(self, name: str) -> Any:
        content, file = self.configuration.named.soil(name, self.said_by)
        with self.configuration.reading(("soils", name)):
            soil(content, file)
        return content

    def __contains__(self, name: object) -> bool:
        if not isinstance(name, str):
            return False
        try:
            return name in (self.configuration.raw("soils") or {}) or bool(find_config("soils", name, self.said_by))
        except ConfigError:
            return False

    def __iter__(self) -> Iterator[str]:
        return iter(sorted(path.stem for path in (data_folder("configs") / "soils").glob("[!.]*.yaml")))

    def __len__(self) -> int:
        return sum(1 for _ in self)
