"""Does the page of metrics describe all metrics?"""

from __future__ import annotations

import re
from pathlib import Path

import yaml

from simulator.maneuvers.analyses.kinds import ANALYSES
from simulator.maneuvers.evaluation_section import EXPRESSION, METRICS_LIST, read_analysis_requests, read_limits

PAGE = (Path(__file__).parents[2] / "docs" / "metrics.md").read_text(encoding="utf-8")


def test_every_analysis_is_in_the_table_and_nothing_else():
    told = {word for line in re.findall(r"^\| (`.*?) \|", PAGE, re.MULTILINE) for word in re.findall(r"`(\w+)`", line)} - {"type"}
    assert told == {*ANALYSES, EXPRESSION}


def test_its_examples_are_read():
    phases = ("step", "left_turn", "right_turn", "turn")
    first, second = re.findall(r"```yaml\n(.*?)```", PAGE, re.DOTALL)
    example = yaml.safe_load(first)
    asked = read_analysis_requests(METRICS_LIST.read(example["metrics"], "page", "metrics"), "page", phases)
    assert set(read_limits(example["limits"], asked, "page", has_path=False, has_course=False)) >= {"left_understeer_gradient", "peak_jerk"}
    assert len(read_analysis_requests(METRICS_LIST.read(yaml.safe_load(second), "page", "metrics"), "page", phases)) == 3
