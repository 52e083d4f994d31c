"""`jounce validate soil`: fits a soil to a measured wheel, foretells others, and makes docs/soil_measured.md."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from simulator.base.console import print_line
from simulator.base.json_output import json_text
from simulator.base.status_line import StatusLine
from simulator.fitting.least_squares import need_scipy
from simulator.telemetry.atomic_files import run_folder, write_text
from simulator.validation.suite.command import ROOT, reference_data, to_dict
from simulator.validation.suite.known_deviations import KNOWN
from simulator.validation.suite.page import FOLDER, chapter, to_text
from simulator.validation.suite.plots import draw
from simulator.validation.suite.result import PartVerdict, ReferenceData, judge
from simulator.validation.suite.soil_measurements import PARTS

PAGE = "soil_measured.md"


def main_soil_measured(arguments: Any) -> int:
    """Command line; 1 when a row fails. Raises JounceError: no reference data, no scipy, or the folder cannot be written."""
    need_scipy()
    data = reference_data()
    with StatusLine(arguments.json) as told:
        judged = [judge(part, part.find(ReferenceData(data, told)), KNOWN.get(part.name, {})) for part in PARTS]
    folder = ROOT / "docs" if arguments.out is None else run_folder(Path(arguments.out))
    for one in judged:
        for picture in one.finding.pictures:
            draw(picture, folder / FOLDER)
    write_text(folder / PAGE, to_markdown(judged))
    if arguments.json:
        print_line(json_text({"page": str(folder / PAGE), "parts": [to_dict(one) for one in judged]}))
    else:
        print_line("\n".join([*(to_text(one) for one in judged), str(folder / PAGE)]))
    return int(any(one.failed for one in judged))


def to_markdown(judged: Sequence[PartVerdict]) -> str:
    """The page."""
    lines = [
        "# Measured wheels on soil",
        "",
        "Made by `jounce validate soil`; make it again rather than change it. Wheels that others measured on sand, beside the step of the tire that drives here, in the "
        "soil bin (`jounce soilbin`, [own_soil.md](own_soil.md)). Soils are fitted to a part of the rows by `jounce soilbin --fit`, and the rest is foretold.",
        "",
        "Verdicts as on the page of [validation](validation.md): **pass**, **FAIL**, or *known* with a reason.",
    ]
    for one in judged:
        lines += chapter(one)
    return "\n".join(lines) + "\n"
