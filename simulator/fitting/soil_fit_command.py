"""Command `jounce soilbin SOIL --fit TESTS.csv`: fit a soil to single-wheel tests; writes a soil file and a page."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

from simulator.base.console import print_line
from simulator.base.errors import ConfigError
from simulator.base.json_output import json_text
from simulator.base.status_line import StatusLine
from simulator.base.yaml_reader import read_yaml
from simulator.configuration.file_lookup import find_config
from simulator.fitting.console_progress import command_of
from simulator.fitting.soil_file_writer import soil_text
from simulator.fitting.soil_fit import FittedSoil, fit_soil, free_parameters
from simulator.fitting.soil_fit_page import parameter_rows, quality_rows, soil_page
from simulator.fitting.soil_measurements import WheelTests, read_tests
from simulator.run.folder import RunFolder
from simulator.telemetry.atomic_files import write_text
from simulator.tools.soil.arguments import WheelOnSoil, inflated, wheel_on_soil
from simulator.tools.soil.soil_bin import SoilBin

SOIL, PAGE, OBJECT = "fitted_soil.yaml", "soil_fit.html", "soil_fit.json"
"""Names of the output files."""


def main_soil_fit(arguments: Any) -> int:
    """Run `jounce soilbin --fit`. Return 0. Raises JounceError: a file cannot be used, or the folder cannot be written."""
    for option in ("slip", "load", "slip_angle", "csv", "speed"):
        if getattr(arguments, option) is not None:
            raise ConfigError(
                f"--{option.replace('_', '-')}", "", "given", "no such option with --fit, since the rows of the file contain it"
            )
    if arguments.inflation is not None and len(arguments.inflation) != 1:
        raise ConfigError("--inflation", "", " ".join(arguments.inflation), "one pressure with --fit")
    tests, free = read_tests(arguments.fit, arguments.where), free_parameters(arguments.free)
    wheel = wheel_on_soil(arguments, inflated(None if arguments.inflation is None else float(arguments.inflation[0])))
    folder = RunFolder(Path(arguments.out) if arguments.out else None)
    try:
        with StatusLine(arguments.json) as progress:
            fitted = fit_soil(tests, wheel.tire, wheel.soil, free, progress)
        _write(folder.path, fitted, tests, wheel, arguments.soil)
        folder.began()
    finally:
        folder.abandon()
        folder.release()
    if arguments.json:
        print_line(json_text({"folder": str(folder.path), "file": SOIL, **to_dict(fitted, tests)}))
    else:
        print_line(f"{to_text(fitted, tests)}\n{SOIL}, {PAGE} and {OBJECT} in {folder.path}")
    return 0


def _write(folder: Path, fitted: FittedSoil, tests: WheelTests, wheel: WheelOnSoil, start: str) -> None:
    looks_like = str(read_yaml(find_config("soils", start)).get("looks_like", wheel.soil_name))
    write_text(folder / SOIL, soil_text(fitted, tests, wheel.tire_name, wheel.soil_name, looks_like))
    page = soil_page(fitted, tests, SoilBin(wheel.tire, wheel.soil, wheel.tire_name), Path(tests.file).stem, command_of("soilbin"))
    write_text(folder / PAGE, page.html())
    write_text(folder / OBJECT, json_text(to_dict(fitted, tests), indent=1) + "\n")


def to_dict(fitted: FittedSoil, tests: WheelTests) -> dict[str, Any]:
    """Return the result for JSON, in SI units; a missing interval is null."""
    parameters = {
        name: {"value": one.value, "interval": None if math.isnan(one.low) else [one.low, one.high], "unit": one.unit}
        for name, one in fitted.estimates.items()
    }
    quality = {row[0]: {"unit": row[1], "rows": row[2], "rms": row[3], "percent_of_range": row[4]} for row in quality_rows(fitted, tests)}
    return {"parameters": parameters, "quality": quality, "not_told": [weak.words for weak in fitted.weak], "why": fitted.solution.why}


def to_text(fitted: FittedSoil, tests: WheelTests) -> str:
    """Return the result as text."""
    lines = [f"{len(tests)} rows of {tests.file}; end of the search: {fitted.solution.why}"]
    lines += [f"  {name:<16}{value:>12} {unit:<10} 95 %: {interval}" for name, unit, value, interval, _ in parameter_rows(fitted)]
    lines += [f"  {weak.words}" for weak in fitted.weak]
    lines += [f"  {name}: {rms:.3g} {unit} rms, {share:.1f} % of the range" for name, unit, _, rms, share in quality_rows(fitted, tests)]
    return "\n".join(lines)
