"""`jounce doctor`: table of the findings, or JSON."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict

from simulator.base.console import print_line
from simulator.base.json_output import json_text
from simulator.base.machine import origin
from simulator.base.status_line import StatusLine
from simulator.tools.doctor.devices import display, graphics, input_devices, sound
from simulator.tools.doctor.finding import GOOD, Finding
from simulator.tools.doctor.real_time import cores, priority, timer
from simulator.tools.doctor.storage import bytecode, extras, kernel_cache, motion_port, run_folder, shared_memory

EXAMINATIONS: tuple[Callable[[], Finding], ...] = (
    cores, priority, timer, display, graphics, input_devices, sound, kernel_cache, bytecode, shared_memory, run_folder, motion_port, extras,
)  # fmt: skip


def main_doctor(as_json: bool) -> int:
    """Examine the machine, print the findings and return 0."""
    findings = []
    with StatusLine(as_json) as status:
        for examine in EXAMINATIONS:
            status(examine.__name__.replace("_", " "))
            findings.append(examine())
    if as_json:
        print_line(json_text({**origin(), "findings": [asdict(one) for one in findings]}))
    else:
        print_line(text_of(findings))
    return 0


def text_of(findings: list[Finding]) -> str:
    """Return the findings as text, with the remedy below each."""
    width = max(len(one.subject) for one in findings)
    lines = []
    for one in findings:
        lines.append(f"{one.subject:<{width}}  {one.state:<7}  {one.found}")
        if one.remedy:
            lines.append(f"{'':<{width}}           {one.remedy}")
    limits = sum(one.state != GOOD for one in findings)
    lines.append("all is well" if not limits else f"{limits} of {len(findings)} with limits; see docs/troubleshooting.md")
    return "\n".join(lines)
