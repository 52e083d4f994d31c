"""Plots of the validation page as PNG files."""

from __future__ import annotations

from pathlib import Path

from simulator.report.plot import Plot
from simulator.report.png_renderer import png
from simulator.telemetry.atomic_files import create_folder, write_bytes
from simulator.validation.suite.result import PageFigure


def draw(page_figure: PageFigure, folder: Path) -> None:
    """Write `<name>.png` into a folder. Raises OutputError."""
    create_folder(folder)
    write_bytes(folder / f"{page_figure.name}.png", png(Plot("", page_figure.panels, columns=2)))
