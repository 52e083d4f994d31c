"""Command `jounce validate sensors`: compare rays, scans and obstacle maps with the reference scenes of a folder."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from simulator.base.console import print_line
from simulator.base.json_output import json_text
from simulator.base.status_line import StatusLine
from simulator.validation.suite.command import to_dict
from simulator.validation.suite.page import to_text
from simulator.validation.suite.result import Finding, evaluate_part
from simulator.validation.suite.sensors import PART, rows_of


def main_sensors(arguments: Any) -> int:
    """Run `jounce validate sensors`. Return 1 if a row fails. Raises ConfigError: no reference data, or a damaged file."""
    with StatusLine(arguments.json) as progress:
        progress("casting rays")
        part = evaluate_part(PART, Finding(rows_of(Path(arguments.folder))), {})
    if arguments.json:
        print_line(json_text({"folder": arguments.folder, **to_dict(part)}))
    else:
        rows = [
            f"{row.what:<22}{verdict:<6}{row.here}; {row.difference}" for row, verdict in zip(part.finding.rows, part.verdicts, strict=True)
        ]
        print_line("\n".join([*rows, to_text(part)]))
    return int(bool(part.failed))
